import { modelsOf } from '#lib/rules/models.ts'
import type { AgentSpec } from '#lib/schemas/manifest.ts'
import { toolServerIn } from '#server/agents/tool-server.ts'

type Row = { path: string; value: string }

/** Where a release's calls go and which secrets go with them: what a reviewer must see of addresses in a manifest. */
export function endpointRows(spec: AgentSpec): Row[] {
  const { http } = spec.runtime
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
              value: `${prices.input} in, ${prices.output} out, ${prices.currency} for a million tokens`,
            },
          ]),
    ]),
    ...(http === undefined ? [] : place('runtime.http', http.url, http.auth?.secretRef)),
    ...spec.tools
      .map(toolServerIn)
      .flatMap(({ server, url, secretRef }) =>
        url === undefined ? [] : place(`toolServers.${server}`, url, secretRef),
      ),
  ]
}
