import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Transaction } from '#server/kernel/db/database.ts'
import { decryptForTenant, encryptForTenant } from '#server/kernel/keys/tenant-keys.ts'

/** The address of a channel, and the keys of its signatures: the newest first, the one before it until it ends. */
const Endpoint = z.object({
  address: z.string(),
  secrets: z.array(z.object({ secret: z.string(), until: z.iso.datetime().optional() })),
})
export type Endpoint = z.infer<typeof Endpoint>

const contextOf = (channelId: string): string => `notification_channels/${channelId}`

export const sealEndpoint = (tx: Transaction, tenantId: string, id: string, endpoint: Endpoint): Promise<Buffer> =>
  encryptForTenant(tx, tenantId, Buffer.from(JSON.stringify(endpoint)), contextOf(id))

export const openEndpoint = async (tx: Transaction, tenantId: string, id: string, sealed: Buffer): Promise<Endpoint> =>
  Endpoint.parse(JSON.parse((await decryptForTenant(tx, tenantId, sealed, contextOf(id))).toString('utf8')))

const prefix = 'whsec_'
/** 24 to 64 random bytes, as Standard Webhooks has them. */
export const newSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): a signature by each secret that is live at `now`, over id,
 * timestamp in seconds and body.
 */
export function signedHeaders(
  { secrets }: Endpoint,
  { id, body, now }: { id: string; body: string; now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = secrets
    .filter(({ until }) => until === undefined || Date.parse(until) > now.getTime())
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
