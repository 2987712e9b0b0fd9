import { createHash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import {
  type Artifact,
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOfAccount,
  deleteArtifactsOfGrant,
  deleteExpiredArtifacts,
  findArtifact,
  findArtifactByUid,
  findGrantOf,
  insertArtifactOnce,
  upsertArtifact,
  wasConsumedWithin,
} from './store.ts'

/**
 * Seconds during which a used refresh token is refused without further consequences: two tabs of one browser renew
 * concurrently, and the slower one reads the tokens of the faster one. Later reuse means that the token was stolen, by
 * or from its owner, and ends the whole family. The second use never yields tokens, so the grace period gives a thief
 * nothing; if the thief was first, it only means that the owner finds out at the next renewal instead of this one. A
 * refresh token that is bound to a key (DPoP) is refused before any of this to callers without the key.
 */
const graceSeconds = 5

/**
 * oidc-provider's storage for one tenant and model. An artifact's id is what its holder presents (a code, a refresh
 * token, a cookie), so only its SHA-256 is stored: in the row, and not in the payload.
 */
export function artifactAdapter(tenantId: string, model: string): Adapter {
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => runtime().database.inTenant(tenantId, work)
  const address = (id: string) => ({ tenantId, model, id: digest(id) })
  return {
    async upsert(id, payload, expiresIn) {
      const row = {
        ...address(id),
        payload: withoutSecrets(payload),
        grantId: payload.grantId ?? null,
        uid: payload.uid ?? null,
        expiresAt: expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1000),
      }
      if (model !== 'ReplayDetection') return await inTenant((tx) => upsertArtifact(tx, row))
      // The library reads before it writes; of two concurrent requests with the same proof only one may pass.
      const first = await inTenant((tx) => insertArtifactOnce(tx, row))
      if (!first) throw new errors.InvalidGrant('the proof has already been used')
    },
    async find(id) {
      const [found, inGrace] = await inTenant(async (tx) => {
        const artifact = await findArtifact(tx, address(id))
        const consumed = model === 'RefreshToken' && artifact !== undefined && artifact.consumedAt !== null
        return [artifact, consumed && (await wasConsumedWithin(tx, address(id), graceSeconds))] as const
      })
      // The library ends the family of a token that is marked as used. With the mark removed, consume() below refuses
      // the token and ends nothing.
      const artifact = inGrace && found !== undefined ? { ...found, consumedAt: null } : found
      return artifact === undefined ? undefined : { ...payloadOf(artifact), jti: id }
    },
    async findByUid(uid) {
      const found = await inTenant((tx) => findArtifactByUid(tx, { tenantId, model, uid }))
      return found === undefined ? undefined : payloadOf(found)
    },
    // Only the device flow has user codes, and it is turned off.
    findByUserCode: async () => undefined,
    async consume(id) {
      if (await inTenant((tx) => consumeArtifact(tx, address(id)))) return
      await inTenant(async (tx) => {
        const inGrace = model === 'RefreshToken' && (await wasConsumedWithin(tx, address(id), graceSeconds))
        if (!inGrace) await revokeFamily(tx, address(id))
      })
      throw new errors.InvalidGrant('already used')
    },
    destroy: (id) => inTenant((tx) => deleteArtifact(tx, address(id))),
    revokeByGrantId: (grantId) => inTenant((tx) => deleteArtifactsOfGrant(tx, { tenantId, model, grantId })),
  }
}

/**
 * Signs the person out everywhere by deleting sessions, grants, codes and refresh tokens. Access tokens stay valid
 * until they expire.
 */
export const endSessions = (tx: Transaction, tenantId: string, accountId: string): Promise<void> =>
  deleteArtifactsOfAccount(tx, tenantId, accountId)

/** Deletes expired artifacts and returns the number of rows. Expired artifacts are never used, purged or not. */
export const purgeExpired = (tenantId: string): Promise<number> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredArtifacts(tx, tenantId))

/**
 * One code or refresh token was used by two concurrent requests, so one of them has a stolen copy: the whole grant
 * ends, including the tokens of the request that won. (The library does this itself when the second use comes later.)
 */
async function revokeFamily(tx: Transaction, address: { tenantId: string; model: string; id: string }): Promise<void> {
  const grantId = (await findGrantOf(tx, address))?.grantId
  if (grantId == null) return
  const { tenantId } = address
  for (const model of ['AuthorizationCode', 'RefreshToken'])
    await deleteArtifactsOfGrant(tx, { tenantId, model, grantId })
  await deleteArtifact(tx, { tenantId, model: 'Grant', id: digest(grantId) })
}

const digest = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** As JSON, without the artifact's own id and without the session cookie that an interaction started with. */
function withoutSecrets({ jti: _id, session, ...payload }: AdapterPayload): JsonObject {
  const { cookie: _cookie, ...kept } = session ?? {}
  const value: JsonObject = JSON.parse(JSON.stringify(session === undefined ? payload : { ...payload, session: kept }))
  return value
}

const payloadOf = ({ payload, consumedAt }: Artifact): AdapterPayload => ({
  ...payload,
  ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
})
