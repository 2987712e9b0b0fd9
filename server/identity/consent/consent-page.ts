import { visibleParts } from '#lib/text/visible-text.ts'
import { isRegisteredClient } from '#server/identity/clients/foreign-clients.ts'
import { Html, html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Reader } from '#server/identity/words/reader.ts'
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
  /** The only one in which the client may call the tools; undefined for any. */
  environment: string | undefined
  gateway: GatewayTools
}

const maxDescription = 200

/** What a client of another vendor may do in the person's name, and where it leads. */
export function consentPage(reader: Reader, asked: Asked): RenderedPage {
  const { action, clientId, clientName, redirectUri, person, server, environment, gateway } = asked
  const t = reader.t.consent
  const redirect = new URL(redirectUri)
  const isLocal = redirect.protocol === 'http:'
  return renderPage(reader, {
    title: t.title,
    body: html`<p>${t.asks(clientName === undefined ? undefined : shown(clientName), person)}</p>
<dl>
<dt>${t.publisher}</dt><dd>${isRegisteredClient(clientId) ? t.unknownPublisher : new URL(clientId).host}</dd>
<dt>${t.returnsTo}</dt><dd>${redirect.host}${isLocal && ` ${t.thisComputer}`}</dd>
<dt>${t.agent}</dt><dd>${shown(gateway.agent)}${environment !== undefined && ` (${environment})`}</dd>
<dt>${t.toolsOf(shown(server))}</dt><dd><ul>${list(gateway)}</ul></dd>
</dl>
<p>${t.consequence}${isLocal && ` ${t.anyProgram}`}</p>
<form method="post" action="${action}">
<button type="submit" name="decision" value="allow">${t.allow}</button>
<button type="submit" name="decision" value="deny" class="secondary">${t.deny}</button>
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
