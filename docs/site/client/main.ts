import './style.css';
import { followAddress } from './follow-address.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';

addTabs();
addSearch();
followAddress();
