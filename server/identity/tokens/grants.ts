import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { isForeignClient } from '#server/identity/clients/foreign-clients.ts'
import { grantEnd } from './lifetimes.ts'
import { apiResource, scopes } from './resource.ts'

/**
 * oidc-provider's `loadExistingGrant`: the product's own clients are granted everything they may request, with one
 * grant per session and client; those of other vendors what a person has allowed.
 */
export async function loadExistingGrant({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { provider, session, client } = oidc
  const accountId = session?.accountId
  if (session === undefined || client === undefined || accountId === undefined) return undefined
  const known = session.grantIdFor(client.clientId)
  // What a person allows is written when they do (../consent); nothing else is granted to such a client.
  if (isForeignClient(client.clientId)) {
    const allowed = oidc.result?.consent?.grantId ?? known
    return allowed === undefined ? undefined : await provider.Grant.find(allowed)
  }
  const found = known === undefined ? undefined : await provider.Grant.find(known)
  const grant = found ?? new provider.Grant({ accountId, clientId: client.clientId })
  grant.addOIDCScope(scopes)
  grant.addResourceScope(apiResource, scopes)
  grant.exp = grantEnd()
  await grant.save()
  return grant
}
