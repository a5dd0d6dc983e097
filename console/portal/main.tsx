import '@mantine/core/styles.css';
import { startPortal } from './start-portal.tsx';

startPortal();
