import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { HttpApp } from '../runtime/http/app.ts';
import type { TrustedProxies } from '../runtime/http/connecting-address.ts';
import { forwardedUrl, withOrigin } from '../runtime/http/public-url.ts';

/** `publicOrigin`: PUBLIC_URL, if it is set. */
type Addresses = { publicOrigin: string | undefined; trustedProxies: TrustedProxies };

/** Lets {@link publicUrl} answer for the requests of `app`. Call it before any route is added. */
export function addPublicUrl(app: HttpApp, { publicOrigin, trustedProxies }: Addresses): void {
  app.use(async (c, next) => {
    c.set('publicUrl', () => {
      const asked = new URL(c.req.url);
      if (publicOrigin !== undefined) return withOrigin(asked, publicOrigin);
      const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
      const connection = { remote: incoming?.socket.remoteAddress, trusted: trustedProxies };
      return forwardedUrl(asked, (name) => c.req.header(name), connection);
    });
    await next();
  });
}

/** Returns the URL of the request as the caller sees it: the base of every link (spec/service#addresses). */
export function publicUrl(c: Context): URL {
  const find: (() => URL) | undefined = c.get('publicUrl');
  return find ? find() : new URL(c.req.url);
}
