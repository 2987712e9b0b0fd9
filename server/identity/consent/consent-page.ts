import { visibleParts } from '#lib/text/visible-text.ts'
import { isRegisteredClient } from '#server/identity/clients/foreign-clients.ts'
import { Html, html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import type { GatewayTools } from './gateway-tools.ts'

type Asked = {
  /** The form's target. */
  action: string
  /** The address of the client's document, or the id of one that registered itself. */
  clientId: string
  /** As the client calls itself. */
  clientName: string | undefined
  redirectUri: string
  person: string
  server: string
  gateway: GatewayTools
}

const maxDescription = 200

/** What a client of another vendor may do in the person's name, and where it leads. */
export function consentPage(realm: Realm, asked: Asked): RenderedPage {
  const { action, clientId, clientName, redirectUri, person, server, gateway } = asked
  const redirect = new URL(redirectUri)
  const isLocal = redirect.protocol === 'http:'
  return renderPage(realm, {
    title: 'Allow this program?',
    body: html`<p>${clientName === undefined ? 'A program' : html`A program that calls itself “${shown(clientName)}”`} wants to call tools as <strong>${person}</strong>.</p>
<dl>
<dt>Published by</dt><dd>${isRegisteredClient(clientId) ? 'Not known: the program registered itself, and nothing shows that its name is true' : new URL(clientId).host}</dd>
<dt>Returns to</dt><dd>${redirect.host}${isLocal && ' (this computer)'}</dd>
<dt>Agent</dt><dd>${shown(gateway.agent)}</dd>
<dt>Tools of ${shown(server)}</dt><dd><ul>${list(gateway)}</ul></dd>
</dl>
<p>Policies and approvals apply to each call, and each call is recorded under your name.${isLocal && ' Any program on this computer can say that it is this one: allow it only if you have just started it.'}</p>
<form method="post" action="${action}">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`,
    formOrigins: [redirect.origin],
  })
}

const list = ({ tools }: GatewayTools): Html =>
  new Html(
    tools
      .map(({ name, description }) => {
        const text = description.length <= maxDescription ? description : `${description.slice(0, maxDescription)}…`
        return html`<li><code>${shown(name)}</code>${text !== '' && html`: ${shown(text)}`}</li>`.text
      })
      .join(''),
  )

/** Text of strangers: characters that are invisible or look like others are shown by their codes. */
const shown = (text: string): Html =>
  new Html(
    visibleParts(text.toWellFormed())
      .map((part) => html`${'text' in part ? part.text : `[${part.code}]`}`.text)
      .join(''),
  )
