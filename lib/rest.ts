import { type RestFetch, restFetch } from './api-fetch.ts'
import type { JsonValue } from './json.ts'
import type { ExportEstimate, ExportJob, ExportManifest, ExportScope } from './schemas/evidence.ts'
import type { SubmitOutput } from './schemas/inputs.ts'
import type { Policy, PolicyVersion } from './schemas/policies.ts'

type Path = `/v1/${string}`
type Page<Item> = { items: Item[]; nextCursor: string | null }

/** What the console calls by REST, because the API has it by REST alone: address, input and answer of each route, once. */
export function createRest(fetchApi: typeof fetch) {
  const fetchJson = restFetch(fetchApi)
  return {
    evidence: {
      list: reading<{ cursor?: string }, Page<ExportJob>>(fetchJson, ['evidence', 'list'], ({ cursor }) =>
        cursor === undefined ? '/v1/evidence/export-jobs' : `/v1/evidence/export-jobs?cursor=${cursor}`,
      ),
      get: reading<{ exportId: string }, ExportJob>(
        fetchJson,
        ['evidence', 'get'],
        ({ exportId }) => `/v1/evidence/factory/jobs/${exportId}`,
      ),
      manifest: reading<{ exportId: string }, ExportManifest>(
        fetchJson,
        ['evidence', 'manifest'],
        ({ exportId }) => `/v1/evidence/factory/jobs/${exportId}/manifest`,
      ),
      estimate: reading<EstimateInput, ExportEstimate>(
        fetchJson,
        ['evidence', 'estimate'],
        ({ scope = {}, includeRawPayloads, ...period }) =>
          `/v1/evidence/estimate?${new URLSearchParams({ ...period, ...scope, includeRawPayloads: String(includeRawPayloads) })}`,
      ),
      create: writing<NewExport, { exportId: string }>(fetchJson, (body) => ['/v1/evidence/export-jobs', body]),
      cancel: writing<{ exportId: string; expectedRevision: number; reason: string }, ExportJob>(
        fetchJson,
        ({ exportId, ...body }) => [`/v1/evidence/factory/jobs/${exportId}/cancel`, body],
      ),
    },
    inputEvents: {
      submit: writing<{ executionId: string; input: string; data: JsonValue }, SubmitOutput>(
        fetchJson,
        ({ data, ...correlation }) => ['/v1/input-events', { correlation, data }],
      ),
    },
    policies: {
      create: writing<{ name: string; description: string; source: string }, Policy>(fetchJson, (body) => [
        '/v1/policies',
        body,
      ]),
      createVersion: writing<{ policyId: string; source: string }, PolicyVersion>(
        fetchJson,
        ({ policyId, ...body }) => [`/v1/policies/${policyId}/versions`, body],
      ),
      publishVersion: writing<{ policyId: string; version: number }, PolicyVersion>(
        fetchJson,
        ({ policyId, version }) => [`/v1/policies/${policyId}/versions/${version}/publish`, {}],
      ),
    },
  }
}

export type Rest = ReturnType<typeof createRest>

type EstimateInput = {
  startDate: string
  endDate: string
  includeRawPayloads: boolean
  scope?: ExportScope
}

type NewExport = EstimateInput & {
  includeProofs: boolean
  purpose?: string
  justification?: string
}

/** Has the same shape as a procedure of the tRPC options proxy, so that queries and lists take either. */
function reading<Input extends object, Output>(fetchJson: RestFetch, path: string[], address: (input: Input) => Path) {
  const read = (input: Input, signal: AbortSignal) => fetchJson<Output>(address(input), { signal })
  const queryKey = (input?: Input): readonly [string[], ...unknown[]] =>
    input === undefined ? [path] : [path, { input }]
  return {
    // As in tRPC's proxy: for types alone.
    '~types': {} as { input: Input; output: Output },
    read,
    queryKey,
    queryOptions: (input: Input) => ({
      queryKey: queryKey(input),
      queryFn: ({ signal }: { signal: AbortSignal }) => read(input, signal),
    }),
  }
}

type WriteOptions = { context?: { idempotencyKey?: string } }

/** Takes the same options as a procedure's `mutate`. */
const writing =
  <Input, Output>(fetchJson: RestFetch, request: (input: Input) => [Path, body: object]) =>
  (input: Input, { context: { idempotencyKey } = {} }: WriteOptions = {}): Promise<Output> => {
    const [path, body] = request(input)
    return fetchJson<Output>(path, {
      method: 'POST',
      body,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
  }
