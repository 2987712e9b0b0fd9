import { CreateApiKeyInput, CreateApiKeyOutput } from '#lib/schemas/secrets.ts'
import { apiKeyDigest, newApiKey } from '#server/kernel/auth/api-key-format.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { createMachine } from '#server/tenants/machines.ts'
import { insertApiKey, insertSecret } from './store.ts'
import { apiKeyView } from './view.ts'

/** Issuer of members that call with an API key. It is not an address, so that no token can name it. */
const apiKeyIssuer = '/api-keys'

/** Creates an API key of the tenant, linked to its creator. Only this response contains the key itself. */
export const createApiKey = mutation({
  permission: 'secret:create',
  input: CreateApiKeyInput,
  output: CreateApiKeyOutput,
  showsSecrets: true,
  replay: ({ key: _shownOnce, ...rest }) => rest,
  audit: ({ name, permissions, expiresAt }, output) => ({
    action: 'secret.api_key_created',
    resource: { type: 'secret', id: output?.secretId ?? name },
    details: {
      name,
      permissions,
      expiresAt: expiresAt ?? null,
      apiKeyId: output?.apiKey.id,
      grants: output?.apiKey.grants,
    },
  }),
  async run({ tx, tenant, principal, input }) {
    const { name, permissions } = input
    const [apiKeyId, secretId, key] = [newId(), newId(), newApiKey()]
    const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt)
    const memberId = await createMachine(
      tx,
      tenant.id,
      {
        kind: 'api_key',
        issuer: apiKeyIssuer,
        subject: apiKeyId,
        // Not the chosen name: user names identify people, and a key must not be mistaken for one.
        username: `api-key/${apiKeyId}`,
        displayName: name,
        roles: [],
      },
      principal.memberId,
    )
    const record = { tenantId: tenant.id, id: secretId, name, sealedValue: null, expiresAt }
    await insertSecret(tx, { ...record, kind: 'api_key', createdBy: principal.memberId })
    const keySha256 = apiKeyDigest(key)
    await insertApiKey(tx, { tenantId: tenant.id, id: apiKeyId, secretId, memberId, keySha256, permissions })
    return {
      apiKey: apiKeyView(apiKeyId, name, permissions),
      secretId,
      key,
      expiresAt: expiresAt?.toISOString() ?? null,
    }
  },
})
