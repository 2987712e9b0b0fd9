import type { IncomingMessage } from 'node:http'
import { isRegistrationOn, registrationPath } from './registration.ts'

/** Requests for the metadata of a realm whose tenant lets clients register. */
const announced = new WeakSet<IncomingMessage>()

export const isMetadata = (path: string): boolean =>
  path === '/.well-known/openid-configuration' || path === '/.well-known/oauth-authorization-server'

/** Looks up, before the library answers, whether the metadata names where clients register. Throws OverloadError. */
export async function noteRegistration(
  { realm }: { realm: { tenantId: string } },
  req: IncomingMessage,
): Promise<void> {
  if (await isRegistrationOn(realm)) announced.add(req)
}

/** Adds where clients register to the metadata, which the library makes without it. */
export function announceRegistration(ctx: { req: IncomingMessage; body: unknown }, { url }: { url: string }): void {
  const { req, body } = ctx
  if (announced.has(req) && typeof body === 'object' && body !== null)
    ctx.body = { ...body, registration_endpoint: `${url}${registrationPath}` }
}
