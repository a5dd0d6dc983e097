import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { isHost } from '../../runtime/http/broken-requests.ts';
import { newNonce } from './built-page.ts';

type Html = ReturnType<typeof html>;

/** What the owner of an account at a processor is asked to confirm. */
export type OfferedConnection = {
  /** The name of our account that the grant is for. */
  accountName: string;
  mode: 'test' | 'live';
  /** What people call the processor. */
  processor: string;
  externalAccountId: string;
  /** The name of the account at the processor; null if the processor does not tell it. */
  externalName: string | null;
  /** Where the person is sent afterwards. */
  redirectUrl: string;
  /** Proves, once, that this page was shown. */
  confirmation: string;
};

/**
 * Answers with the page that asks whether to connect the two accounts (spec/payments#processors). It is whole without a script,
 * and no other page can show it in a frame.
 */
export function sendOffer(c: Context, offer: OfferedConnection): Promise<Response> {
  const { accountName, mode, processor, externalAccountId, externalName, redirectUrl, confirmation } = offer;
  const { host } = new URL(redirectUrl);
  const body = html`
    <h1>Connect ${processor} to ${accountName}?</h1>
    <dl>
      <div>
        <dt>${processor} account</dt>
        <dd>${externalName === null ? '' : html`<strong>${externalName}</strong> `}<code>${externalAccountId}</code></dd>
      </div>
      <div>
        <dt>Meterbook account</dt>
        <dd><strong>${accountName}</strong>${mode === 'test' ? html` <span class="badge">TEST</span>` : ''}</dd>
      </div>
    </dl>
    <p>${accountName} will charge and refund the customers of this ${processor} account. Connect only if you know and trust ${accountName}.</p>
    <form method="post">
      <input type="hidden" name="confirmation" value="${confirmation}">
      <button class="connect">Connect</button>
      <button name="decision" value="decline">Decline</button>
    </form>
    <p class="note">Either way you continue to ${host}.</p>`;
  return send(c, 200, `Connect ${processor}`, body, redirectUrl);
}

/** Answers a person, in words, that there is nothing to confirm. */
export function sendNothingToConfirm(c: Context): Promise<Response> {
  const body = html`
    <h1>This page is no longer of use</h1>
    <p>The connection was confirmed or declined already, or more than 10 minutes have passed. Nothing has been changed now.</p>
    <p>Go back to where you began, look whether the account is connected, and connect again if it is not.</p>`;
  return send(c, 400, 'Nothing to confirm', body);
}

async function send(c: Context, status: 200 | 400, title: string, body: Html, redirectUrl?: string): Promise<Response> {
  const nonce = newNonce();
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Meterbook</title>
<style nonce="${nonce}">${raw(STYLE)}</style>
</head>
<body><main>${body}
</main></body>
</html>`;
  return c.html(page, status, {
    'Content-Security-Policy': contentPolicy(nonce, redirectUrl),
    'Cache-Control': 'no-store',
    // The address has the code and the state. Without any referrer the browser would not say where the form comes from.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** The form goes to us alone. Browsers hold the redirect behind it to the same list. */
function contentPolicy(nonce: string, redirectUrl?: string): string {
  const { origin, host } = redirectUrl === undefined ? { origin: '', host: '' } : new URL(redirectUrl);
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `form-action 'self'${isHost(host) ? ` ${origin}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const STYLE = `
:root { --page: #f6f7f8; --surface: #fff; --line: #e1e5e9; --control: #868f99; --text: #171a1e; --second: #4b535c;
  --fill: #0b6478; --hover: #095263; --accent: #0b6478; --raised: #f1f3f5 }
@media (prefers-color-scheme: dark) { :root { --page: #101214; --surface: #171a1d; --line: #2d3237; --control: #6e767f;
  --text: #e9ebee; --second: #b4bac1; --fill: #0f6f86; --hover: #0b6478; --accent: #6cc7da; --raised: #1f2327 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 400 14px/20px "Noto Sans", system-ui, sans-serif }
main { max-width: 480px; margin: 48px auto; padding: 24px; background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; overflow-wrap: anywhere }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 28px; font-weight: 600 }
dl { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 8px }
dl div { padding: 12px 16px }
dl div + div { border-top: 1px solid var(--line) }
dt { color: var(--second); font-size: 12px; line-height: 16px }
dd { margin: 4px 0 0 }
strong { font-weight: 600 }
code { padding: 0 4px; background: var(--raised); border-radius: 4px; font: 13px/20px ui-monospace, monospace }
p { margin: 0 0 16px }
.note { margin: 16px 0 0; color: var(--second); font-size: 12px; line-height: 16px }
.badge { padding: 0 8px; background: #ffc53d; color: #2e2000; border-radius: 999px; font-size: 12px; font-weight: 600 }
form { display: flex; flex-wrap: wrap; gap: 8px }
button { min-height: 36px; padding: 0 16px; background: var(--surface); color: var(--text); border: 1px solid var(--control);
  border-radius: 6px; font: inherit; cursor: pointer }
button.connect { background: var(--fill); color: #fff; border-color: var(--fill); font-weight: 600 }
button.connect:hover { background: var(--hover); border-color: var(--hover) }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 520px) { main { margin: 0; padding: 16px; min-height: 100vh; border: 0; border-radius: 0 } }
`;
