import '@mantine/core/styles.css';
import { startConsole } from './frame/start-console.tsx';

startConsole();
