/** What stands for the address by which the reader reached the service. */
export const BASE_ADDRESS = '{url}';

/** A chapter of the guide on `/docs`: HTML of ours. */
type Chapter = { id: string; title: string; html: string };

const QUICKSTART = `
<p>Every request carries your key in <code>X-API-KEY</code>; bodies are JSON. Six calls from nothing to a projected invoice:</p>
<pre>export URL=${BASE_ADDRESS} KEY=...
alias api='curl -s -H "X-API-KEY: $KEY" -H "Content-Type: application/json"'

api $URL/api/customers/ -d '{"customer_id": "acme", "email": "billing@acme.example"}'
api $URL/api/metrics -d '{"metric_name": "API calls", "aggregation_type": "count", "event_name": "api_call"}'
api $URL/api/plans -d '{"name": "Pro", "recurring_fee": 29, "billing_period": "monthly",
  "components": [{"metric_id": "&lt;metric_id&gt;", "free_tier": 1000, "overage_price": 0.002}]}'
api $URL/api/subscriptions -d '{"customer_id": "acme", "plan_id": "&lt;plan_id&gt;"}'
api $URL/api/track -d '{"event_name": "api_call", "customer_id": "acme", "idempotency_id": "e-1",
  "time_created": "'$(date -u +%FT%TZ)'"}'
api $URL/api/customers/acme/draft_invoice/</pre>
<p>In an account in test mode a test clock lets you see a year of invoices in seconds: create the customer with a
<code>test_clock_id</code>, then advance the clock.</p>`;

const EVENTS = `
<p>An event is <code>event_name</code>, <code>customer_id</code>, <code>idempotency_id</code>, <code>time_created</code> and up to
100 <code>properties</code>. Send each one as it happens; the customer need not exist yet.</p>
<ul>
<li><b>200 means stored.</b> The event is on disk before you are answered, and will be counted exactly once.</li>
<li><b>It is billed by when it happened</b> (<code>time_created</code>), not by when it arrived. What arrives after its period was
billed is billed as late usage with the next invoice.</li>
<li><b>Numbers are exact</b>, up to 20 digits before and 18 after the point; a numeric string counts as its number.</li>
<li><b>It shows within a second</b> in metric usage, draft invoices and access checks; <code>as_of</code> says up to when.</li>
<li><b>Are they all there?</b> <code>POST /api/verify-events</code> says of up to 1,000 ids whether they were accepted.</li>
</ul>`;

const RETRIES = `
<ul>
<li><b>Events</b>: send the same event again, with the same <code>idempotency_id</code>, until it is answered 200. A repeat is
answered 200 and counted once, for ever; the first one received is kept.</li>
<li><b>Other POSTs</b>: send an <code>Idempotency-Key</code> header of your choice. The same key and body within 24 hours give the
first answer again (with <code>Idempotent-Replayed: true</code>), also after a crash of ours: nothing is done twice. The same key
with another body is 422; while the first call still runs, 409.</li>
<li><b>What to retry</b>: 503 and 429 after as many seconds as <code>Retry-After</code> says, 500 and lost connections with growing
pauses. Other answers of 4xx will not change by themselves.</li>
<li><b>Report</b> the <code>X-Request-Id</code> of an answer you do not understand.</li>
</ul>`;

const WEBHOOKS = `
<p>An endpoint made by <code>POST /api/webhooks</code> is sent what changes, signed by <a href="#standard">Standard Webhooks</a> with
the <code>webhook_secret</code> that is shown once. Check the signature over the raw body, before you parse it:</p>
<pre>import { Webhook } from 'standardwebhooks';

app.post('/webhooks', express.raw({ type: '*/*' }), (request, response) =&gt; {
  let event;
  try {
    event = new Webhook(process.env.WEBHOOK_SECRET).verify(request.body, request.headers);
  } catch {
    return response.sendStatus(400);
  }
  if (!alreadySeen(event.id)) handle(event.type, event.data);
  response.sendStatus(204);
});</pre>
<p id="standard">Without a library: <code>webhook-signature</code> holds, separated by spaces, <code>v1,</code> and the base64 of an
HMAC-SHA256 over <code>webhook-id + "." + webhook-timestamp + "." + body</code>; the HMAC's key is the base64 after
<code>whsec_</code>. Refuse a timestamp more than five minutes off. While a secret is rolled with an overlap, two signatures are
sent: one that fits is enough.</p>
<ul>
<li>Answer 2xx within 15 seconds. Anything else, redirects too, is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h,
20 h and 24 h. 410 disables the endpoint.</li>
<li>A repeat has the same <code>webhook-id</code>: remember the ids you have handled. Events may come in another order than they
happened; <code>data</code> is the resource as the API returned it then.</li>
</ul>`;

const VERSIONING = `
<p>There is one version, 1, and it grows without breaking: new operations, new optional fields and parameters of requests, new
fields of answers, new types of webhook events, new values where a field is open. Write clients that ignore what they do not know.</p>
<ul>
<li>What would break you - a field removed or renamed, another type, another meaning, a stricter rule - comes only under a new
version with a path of its own, beside the old one.</li>
<li>What is deprecated says so here and in <code>openapi.json</code> (<code>deprecated: true</code>) and keeps working for at least
12 months after that; in its last 3 months its answers carry a <code>Sunset</code> header with the date.</li>
<li>Other spellings of paths (with and without the trailing slash or the <code>/api</code> prefix, <code>_</code> for
<code>-</code>) and other names of fields that an operation lists stay accepted.</li>
</ul>`;

const ERRORS = `
<p>Requests are checked in this order: key (401), scope (403), encoding (415), size (413), JSON (400), fields (422), existence (404), state (409).
422 names every bad field at once, nested as <code>components.0.free_tier</code>; all others are
<code>{"detail": "...", "code": "...", "request_id": "..."}</code>. A good request never gets a 4xx because a part of ours is away.</p>`;

/** What to read before the reference. */
export const GUIDE: Chapter[] = [
  { id: 'quickstart', title: 'Quickstart', html: QUICKSTART },
  { id: 'events', title: 'Sending events', html: EVENTS },
  { id: 'retries', title: 'Retries and idempotency', html: RETRIES },
  { id: 'errors', title: 'Errors', html: ERRORS },
  { id: 'webhooks', title: 'Verifying webhooks', html: WEBHOOKS },
  { id: 'versioning', title: 'Versions and deprecation', html: VERSIONING },
];
