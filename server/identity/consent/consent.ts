import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Interaction } from 'oidc-provider'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { notAcceptedPage, problemPage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import { sendPage } from '#server/identity/respond.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { grantEnd } from '#server/identity/tokens/lifetimes.ts'
import { gatewayScope } from '#server/identity/tokens/resource.ts'
import { readerOf } from '#server/identity/words/reader.ts'
import { gatewayOf } from '#server/kernel/auth/gateway-address.ts'
import { consentPage } from './consent-page.ts'
import { gatewayTools } from './gateway-tools.ts'

/**
 * The question whether a client of another vendor may call tools in the person's name: shows it, or accepts the answer. It is
 * asked at each sign-in, because any program can use the address of a client's document.
 */
export async function serveConsent(
  open: OpenRealm,
  interaction: Interaction,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { realm, provider } = open
  const reader = readerOf(realm, req.headers)
  const { client_id: clientId, redirect_uri: redirectUri, resource } = interaction.params
  const accountId = interaction.session?.accountId
  const address = typeof resource === 'string' ? gatewayOf(resource) : undefined
  if (accountId === undefined || typeof clientId !== 'string' || typeof redirectUri !== 'string' || !address)
    throw new Error('The interaction lacks what the provider has checked before.')
  if (req.method === 'POST') return await decide(open, { interaction, accountId, clientId, resource }, req, res)
  const person = await activePerson(realm, accountId)
  const gateway = await gatewayTools(realm.tenantId, address)
  const client = await provider.Client.find(clientId)
  if (person === undefined || gateway === undefined || client === undefined)
    return sendPage(res, 404, problemPage(reader, reader.t.consent.nothing))
  const page = consentPage(reader, {
    action: `${realm.url}/interaction/${interaction.uid}`,
    clientId,
    clientName: client.clientName,
    redirectUri,
    person: person.displayName,
    server: address.server,
    environment: address.environment,
    gateway,
  })
  sendPage(res, 200, page)
}

type Asked = { interaction: Interaction; accountId: string; clientId: string; resource: unknown }

async function decide(
  { realm, provider }: OpenRealm,
  { interaction, accountId, clientId, resource }: Asked,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError)
    return sendPage(res, form.status, notAcceptedPage(readerOf(realm, req.headers), form.message))
  if (form.get('decision') !== 'allow') {
    const refusal = { error: 'access_denied', error_description: 'The person did not allow this.' }
    return await provider.interactionFinished(req, res, refusal, { mergeWithLastSubmission: false })
  }
  const known = interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId)
  const grant = known ?? new provider.Grant({ accountId, clientId })
  grant.addResourceScope(String(resource), gatewayScope)
  grant.exp = grantEnd()
  const grantId = await grant.save()
  await provider.interactionFinished(req, res, { consent: { grantId } }, { mergeWithLastSubmission: true })
}
