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
 * Seconds in which a refresh token may come again and is only refused: two tabs of one browser renew at once, and the one
 * that is late reads what the other got. After that a token that comes again was stolen, from its owner or by them, and the
 * whole family ends. The second one never gets tokens, so the grace gives a thief nothing; it only lets the owner find out
 * at the next renewal instead of this one, should the thief be the first of the two. A refresh token that is bound to a key
 * (DPoP) is refused before either to anybody without the key.
 */
const graceSeconds = 5

/**
 * oidc-provider's storage for one tenant and model. An artifact's id is what its holder presents (a code, a refresh token,
 * a cookie), so only its SHA-256 is stored, in the row and not in the payload.
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
      // The library looks first and writes then; of two equal proofs at once only one may pass.
      const first = await inTenant((tx) => insertArtifactOnce(tx, row))
      if (!first) throw new errors.InvalidGrant('the proof was used before')
    },
    async find(id) {
      const [found, inGrace] = await inTenant(async (tx) => {
        const artifact = await findArtifact(tx, address(id))
        const consumed = model === 'RefreshToken' && artifact !== undefined && artifact.consumedAt !== null
        return [artifact, consumed && (await wasConsumedWithin(tx, address(id), graceSeconds))] as const
      })
      // The library ends the family of a token that says it was used: consume() below refuses this one and ends nothing.
      const artifact = inGrace && found !== undefined ? { ...found, consumedAt: null } : found
      return artifact === undefined ? undefined : { ...payloadOf(artifact), jti: id }
    },
    async findByUid(uid) {
      const found = await inTenant((tx) => findArtifactByUid(tx, { tenantId, model, uid }))
      return found === undefined ? undefined : payloadOf(found)
    },
    // Only the device flow has user codes, and it is off.
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

/** The person is signed out everywhere: sessions, grants, codes and refresh tokens are gone. Access tokens live out their time. */
export const endSessions = (tx: Transaction, tenantId: string, accountId: string): Promise<void> =>
  deleteArtifactsOfAccount(tx, tenantId, accountId)

/** Deletes what has expired and returns how many rows that was. Nothing expired is ever used, purged or not. */
export const purgeExpired = (tenantId: string): Promise<number> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredArtifacts(tx, tenantId))

/**
 * Two used one code or refresh token at once: somebody else holds it, so the whole grant ends, for the winner too. (The
 * library does this itself when the second one comes later.)
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

/** As JSON, without the artifact's own id and without the session cookie that an interaction began with. */
function withoutSecrets({ jti: _id, session, ...payload }: AdapterPayload): JsonObject {
  const { cookie: _cookie, ...kept } = session ?? {}
  const value: JsonObject = JSON.parse(JSON.stringify(session === undefined ? payload : { ...payload, session: kept }))
  return value
}

const payloadOf = ({ payload, consumedAt }: Artifact): AdapterPayload => ({
  ...payload,
  ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
})
