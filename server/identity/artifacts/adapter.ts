import { createHash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { JsonObject } from '#lib/json.ts'
import { deviceOf } from '#server/identity/sessions/device.ts'
import type { Seen } from '#server/identity/sessions/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { currentClient } from '#server/kernel/net/client-address.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { admitHolder, inTurnOfCaller } from './holder.ts'
import {
  type Artifact,
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOfAccount,
  deleteArtifactsOfGrant,
  deleteExpiredArtifacts,
  endArtifacts,
  endsForGood,
  findArtifact,
  findArtifactByUid,
  findUse,
  insertArtifactOnce,
  type Use,
  upsertArtifact,
} from './store.ts'

/**
 * Seconds in which the holder of the key that a refresh token is bound to (DPoP) may use the token again. A page that is
 * reloaded while it renews never gets the response, and has only the token that was used. A thief gains nothing: the
 * library checks the key before it consumes the token. Afterwards a token that is used again ends its family.
 */
const repeatSeconds = 30
/**
 * Seconds in which a refresh token without a key is only refused when it is used again, because two processes of one person
 * may renew concurrently. Afterwards the token was stolen, from its owner or by them, and its family ends.
 */
const refusalSeconds = 5

const grantModel = 'Grant'

/** What shows its person where they are signed in (../sessions). */
const noted = new Set(['Session', 'RefreshToken'])

/**
 * oidc-provider's storage for one tenant and model. An artifact's id is what its holder presents (a code, a refresh
 * token, a cookie), so only its SHA-256 is stored: in the row, and not in the payload.
 */
export function artifactAdapter(tenantId: string, model: string): Adapter {
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) =>
    inTurnOfCaller(tenantId, () => runtime().database.inTenant(tenantId, work))
  const address = (id: string) => ({ tenantId, model, id: digest(id) })
  return {
    async upsert(id, payload, expiresIn) {
      const row = {
        ...address(id),
        payload: { ...withoutSecrets(payload), ...(noted.has(model) ? seenNow(payload) : {}) },
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
      const [found, use] = await inTenant(async (tx) => {
        const artifact = await findArtifact(tx, address(id))
        return [artifact, artifact?.consumedAt != null ? await findUse(tx, address(id)) : undefined] as const
      })
      if (found === undefined) return undefined
      await admitHolder(tenantId, model, found.payload)
      // The library ends the family of a token that was used: in its grace, consume() below decides instead.
      const inGrace = model === 'RefreshToken' && use !== undefined && isInGrace(use)
      return { ...payloadOf(inGrace ? { ...found, consumedAt: null } : found), jti: id }
    },
    async findByUid(uid) {
      const found = await inTenant((tx) => findArtifactByUid(tx, { tenantId, model, uid }))
      return found === undefined ? undefined : payloadOf(found)
    },
    // Only the device flow has user codes, and it is turned off.
    findByUserCode: async () => undefined,
    async consume(id) {
      if (await inTenant((tx) => consumeArtifact(tx, address(id)))) return
      const mayRepeat = await inTenant(async (tx) => {
        const use = await findUse(tx, address(id))
        const inGrace = model === 'RefreshToken' && use !== undefined && isInGrace(use)
        if (!inGrace) await revokeFamily(tx, tenantId, use?.grantId)
        return inGrace && use.bound
      })
      if (!mayRepeat) throw new errors.InvalidGrant('already used')
    },
    destroy: (id) =>
      inTenant((tx) => {
        if (model === grantModel) return endFamily(tx, tenantId, id)
        return endsForGood(model) ? endArtifacts(tx, tenantId, address(id)) : deleteArtifact(tx, address(id))
      }),
    revokeByGrantId: (grantId) => inTenant((tx) => deleteArtifactsOfGrant(tx, { tenantId, model, grantId })),
  }
}

/** The name of a grant's family in access tokens, which every node looks up with each request (kernel/auth/store.ts). */
export const familyOf = (grantId: string): string => digest(grantId)

export const isFamilyAlive = (tx: Transaction, tenantId: string, family: string): Promise<boolean> =>
  findArtifact(tx, { tenantId, model: grantModel, id: family }).then((grant) => grant !== undefined)

/**
 * Signs the person out everywhere by deleting sessions, grants, codes and refresh tokens. Access tokens end with their
 * grants.
 */
export const endSessions = (tx: Transaction, tenantId: string, accountId: string): Promise<void> =>
  deleteArtifactsOfAccount(tx, tenantId, accountId)

/** Deletes expired artifacts and returns the number of rows. Expired artifacts are never used, purged or not. */
export const purgeExpired = (tenantId: string): Promise<number> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredArtifacts(tx, tenantId))

/**
 * One code or refresh token was used by two concurrent requests, so one of them has a stolen copy: the whole grant
 * ends, including the tokens of the request that won and every access token. (The library does this itself when the second use comes later.)
 */
async function revokeFamily(tx: Transaction, tenantId: string, grantId: string | null | undefined): Promise<void> {
  if (grantId != null) await endGrant(tx, tenantId, grantId)
}

/** Ends a grant with its codes, refresh tokens and access tokens. */
export async function endGrant(tx: Transaction, tenantId: string, grantId: string): Promise<void> {
  for (const model of ['AuthorizationCode', 'RefreshToken'])
    await deleteArtifactsOfGrant(tx, { tenantId, model, grantId })
  await endFamily(tx, tenantId, grantId)
}

/** Ends the access tokens of a grant from the next request on, on every node, and with them their open streams. */
async function endFamily(tx: Transaction, tenantId: string, grantId: string): Promise<void> {
  await endArtifacts(tx, tenantId, { model: grantModel, id: familyOf(grantId) })
  notify(tx, 'family', familyOf(grantId))
}

const isInGrace = ({ bound, secondsAgo }: Use): boolean => secondsAgo < (bound ? repeatSeconds : refusalSeconds)

const digest = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** As JSON, without the artifact's own id and without the session cookie that an interaction started with. */
function withoutSecrets({ jti: _id, session, ...payload }: AdapterPayload): JsonObject {
  const { cookie: _cookie, ...kept } = session ?? {}
  const value: JsonObject = JSON.parse(JSON.stringify(session === undefined ? payload : { ...payload, session: kept }))
  return value
}

/** From where the request that writes a person's artifact comes. Nothing for a stranger, who has a session before the sign-in. */
function seenNow({ accountId }: AdapterPayload): { seen?: Seen } {
  const request = Provider.ctx?.req
  const client = currentClient()
  if (accountId === undefined || request === undefined || client === undefined) return {}
  const device = deviceOf(request.headers['user-agent'])
  return { seen: { at: new Date().toISOString(), device, address: client.address } }
}

const payloadOf = ({ payload: { seen: _seen, ...payload }, consumedAt }: Artifact): AdapterPayload => ({
  ...payload,
  ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
})
