import { modelsOf } from '#lib/rules/models.ts'
import { interfaceOf } from '#server/agents/agent-card.ts'
import { toolServerIn } from '#server/agents/tool-server.ts'
import type { ReleaseContent } from './content.ts'

type Row = { path: string; value: string }

/** Which secrets a release sends, and the addresses that it sends them to: nothing that is not in the rows for the reviewer. */
export function secretPlaces({
  spec,
  agentCard,
}: Pick<ReleaseContent, 'spec' | 'agentCard'>): { url: string; secretRef: string }[] {
  const { http, a2a } = spec.runtime
  const places = [
    ...modelsOf(spec).map(({ endpoint, auth }) => ({ url: endpoint, secretRef: auth?.secretRef })),
    { url: http?.url, secretRef: http?.auth?.secretRef },
    { url: agentCard && interfaceOf(agentCard.card).url, secretRef: a2a?.auth?.secretRef },
    ...spec.tools.map(toolServerIn),
  ]
  return places.flatMap(({ url, secretRef }) =>
    url === undefined || secretRef === undefined ? [] : [{ url, secretRef }],
  )
}

/** The addresses that a release calls and the secrets sent to them, for the reviewer. */
export function endpointRows({ spec, agentCard }: Pick<ReleaseContent, 'spec' | 'agentCard'>): Row[] {
  const { http, a2a } = spec.runtime
  const place = (path: string, url: string, secretRef: string | undefined): Row[] => [
    { path: `${path}.url`, value: url },
    ...(secretRef === undefined ? [] : [{ path: `${path}.secretRef`, value: secretRef }]),
  ]
  return [
    ...modelsOf(spec).flatMap(({ model, endpoint, auth, prices }) => [
      ...place(`models.${model}`, endpoint, auth?.secretRef),
      ...(prices === undefined
        ? []
        : [
            {
              path: `models.${model}.prices`,
              value: `${prices.input} input, ${prices.output} output (${prices.currency} per million tokens)`,
            },
          ]),
    ]),
    ...(http === undefined ? [] : place('runtime.http', http.url, http.auth?.secretRef)),
    ...(a2a === undefined || agentCard === undefined
      ? []
      : [
          ...place('runtime.a2a', interfaceOf(agentCard.card).url, a2a.auth?.secretRef),
          { path: 'runtime.a2a.card', value: `${a2a.card}, ${agentCard.digest}` },
        ]),
    ...spec.tools
      .map(toolServerIn)
      .flatMap(({ server, url, secretRef }) =>
        url === undefined ? [] : place(`toolServers.${server}`, url, secretRef),
      ),
  ]
}
