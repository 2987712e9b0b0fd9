import { ApiError, notFound } from '#lib/errors.ts'
import { RotateSecretInput, RotateSecretOutput } from '#lib/schemas/notifications/channels.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findChannel, setChannel } from './channel-store.ts'
import { newSecret, openEndpoint, sealEndpoint } from './endpoint.ts'

const overlapMs = 24 * 3_600_000

/** Makes a new secret for a webhook. For a day, the secret before it signs as well; an older one ends at once. */
export const rotateSecret = mutation({
  permission: 'tenant:manage',
  input: RotateSecretInput,
  output: RotateSecretOutput,
  confidential: true,
  showsSecrets: true,
  audit: ({ id }) => ({
    action: 'notification_channel.secret_rotated',
    resource: { type: 'notification_channel', id },
  }),
  async run({ tx, tenant, input: { id, expectedRevision } }) {
    const row = await findChannel(tx, tenant.id, id)
    if (row === undefined) throw notFound()
    if (row.kind !== 'webhook') throw new ApiError('conflict', 'Only webhooks have a secret.')
    const { address, secrets } = await openEndpoint(tx, tenant.id, id, row.endpoint)
    const secret = newSecret()
    const until = new Date((await databaseClock(tx))().getTime() + overlapMs).toISOString()
    const [current] = secrets
    const endpoint = await sealEndpoint(tx, tenant.id, id, {
      address,
      secrets: [{ secret }, ...(current === undefined ? [] : [{ secret: current.secret, until }])],
    })
    if (!(await setChannel(tx, tenant.id, { ...row, endpoint, revision: expectedRevision })))
      throw new ApiError('revision_conflict', 'This channel changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    return { id, secret, previousUntil: until, revision: expectedRevision + 1 }
  },
})
