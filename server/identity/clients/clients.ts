import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { authCallbackPath, signedOutPath } from '#lib/paths.ts'
import { findLiveSecrets } from '#server/identity/store.ts'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { findInTurn } from '#server/identity/tokens/token-rate.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { isRegisteredClient } from './foreign-clients.ts'
import { registeredClient } from './registration.ts'
import { readByRequest, readForRequest } from './service-client.ts'

export const consoleClientId = 'countersign-console'
export const cliClientId = 'countersign-cli'

/** oidc-provider's read-only view of a realm's clients. */
export function clientAdapter(guard: Guard, slug: string): Adapter {
  const { tenantId } = guard
  // The library requires a secret for each confidential client. This one is never given out: secretMatches() compares
  // the real ones.
  const unusableSecret = randomBytes(32).toString('base64url')
  const refuse = async () => {
    throw new Error('Clients are read-only for the provider.')
  }
  return {
    async find(clientId) {
      const find = async (): Promise<AdapterPayload | undefined> => {
        if (isRegisteredClient(clientId))
          return await runtime().database.inTenant(tenantId, (tx) => registeredClient(tx, tenantId, clientId))
        const { client } = await readForRequest({ tenantId, slug }, clientId)
        return client === undefined ? undefined : metadata(client.clientId, client.kind, unusableSecret)
      }
      return await findInTurn(guard, clientId, find)
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}

function metadata(clientId: string, kind: string, unusableSecret: string): AdapterPayload {
  const person = {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
  } as const
  const { baseUrl } = runtime().config
  switch (kind) {
    case 'console':
      return {
        ...person,
        application_type: 'web',
        // A browser's tokens are bound to a key that can't be extracted from it (RFC 9449, section 5.2).
        dpop_bound_access_tokens: true,
        redirect_uris: [`${baseUrl}${authCallbackPath()}`],
        post_logout_redirect_uris: [`${baseUrl}${signedOutPath()}`],
      }
    case 'cli':
      // Native, so that any port of the loopback address is accepted (RFC 8252, section 7.3).
      return { ...person, application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] }
    case 'service':
      return {
        client_id: clientId,
        client_secret: unusableSecret,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      }
    default:
      throw new Error(`The client ${clientId} has the unknown kind ${kind}.`)
  }
}

export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Whether `secret` is one of the client's live secrets. Always compares all of them, so that timing reveals nothing.
 */
export async function secretMatches(tenantId: string, clientId: string, secret: string): Promise<boolean> {
  const digests =
    readByRequest(clientId)?.secrets ??
    (await runtime().database.readInTenant(tenantId, (tx) => findLiveSecrets(tx, tenantId, clientId)))
  const actual = secretDigest(secret)
  return digests.reduce((matched, expected) => timingSafeEqual(actual, expected) || matched, false)
}
