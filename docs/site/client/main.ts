import './base.css';
import './frame.css';
import './content.css';
import { followAddress } from './follow-address.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';

addTabs();
addSearch();
followAddress();
