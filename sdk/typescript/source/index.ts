export { type ClientOptions, createClient, type MeterbookClient } from './client.ts';
export type { components, operations, paths } from './generated/api.ts';
export { ListError, type ListInit, type ListItem, type ListPath, paginate } from './paginate.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';
