import { Hono } from 'hono'
import { ApiError } from '#lib/errors.ts'
import { logKeysRoute } from '#server/audit/monitors/log-keys-route.ts'
import { resourceMetadata } from '#server/executions/gateway/resource-metadata.ts'
import { compressed } from '#server/kernel/answers/compress.ts'
import { unlessKnown } from '#server/kernel/answers/unchanged.ts'
import { newId } from '#server/kernel/ids.ts'
import { withRateHeaders } from '#server/kernel/rate/headers.ts'
import { unspentCalls } from '#server/kernel/rate/limits.ts'
import { allowOf, errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { allowed, declaredProcedures } from '#server/kernel/trpc.ts'
import { scimRoutes } from '#server/scim/routes.ts'
import * as procedures from '../app/v1/[...path]/route.ts'
import * as auditFile from '../app/v1/audit/file/route.ts'
import * as brandingImage from '../app/v1/branding/[sha256]/route.ts'
import * as catalog from '../app/v1/catalog/route.ts'
import * as evidenceEstimate from '../app/v1/evidence/estimate/route.ts'
import * as evidenceJobs from '../app/v1/evidence/export-jobs/route.ts'
import * as evidenceCancel from '../app/v1/evidence/factory/jobs/[exportId]/cancel/route.ts'
import * as evidenceDownload from '../app/v1/evidence/factory/jobs/[exportId]/download/route.ts'
import * as evidenceManifest from '../app/v1/evidence/factory/jobs/[exportId]/manifest/route.ts'
import * as evidenceJob from '../app/v1/evidence/factory/jobs/[exportId]/route.ts'
import * as file from '../app/v1/files/[id]/route.ts'
import * as files from '../app/v1/files/route.ts'
import * as live from '../app/v1/health/live/route.ts'
import * as ready from '../app/v1/health/ready/route.ts'
import * as inputEvents from '../app/v1/input-events/route.ts'
import * as log from '../app/v1/log/[...path]/route.ts'
import * as logs from '../app/v1/logs/route.ts'
import * as mcp from '../app/v1/mcp/[agent]/[server]/route.ts'
import * as tenantMcp from '../app/v1/mcp/t/[externalId]/[agent]/[server]/route.ts'
import * as metrics from '../app/v1/metrics/route.ts'
import * as openapi from '../app/v1/openapi.json/route.ts'
import * as publish from '../app/v1/policies/[policyId]/versions/[version]/publish/route.ts'
import * as policyVersions from '../app/v1/policies/[policyId]/versions/route.ts'
import * as policies from '../app/v1/policies/route.ts'
import * as telemetry from '../app/v1/traces/route.ts'
import { appRouter } from './router.ts'

type Module = Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler>>

/**
 * The routes outside /v1, and every route file of app/v1, most specific first. The server calls them directly; going through Next would cost four
 * times the CPU.
 */
export const routes: readonly [path: string, module: Module][] = [
  ['/.well-known/countersign/:externalId/log-keys.json', { GET: logKeysRoute }],
  ['/.well-known/oauth-protected-resource/v1/mcp/t/:externalId/:agent/:server', { GET: resourceMetadata }],
  ...scimRoutes,
  ['/v1/audit/file', auditFile],
  ['/v1/branding/:sha256', brandingImage],
  ['/v1/catalog', catalog],
  ['/v1/evidence/estimate', evidenceEstimate],
  ['/v1/evidence/export-jobs', evidenceJobs],
  ['/v1/evidence/factory/jobs/:exportId/manifest', evidenceManifest],
  ['/v1/evidence/factory/jobs/:exportId/download', evidenceDownload],
  ['/v1/evidence/factory/jobs/:exportId/cancel', evidenceCancel],
  ['/v1/evidence/factory/jobs/:exportId', evidenceJob],
  ['/v1/health/live', live],
  ['/v1/health/ready', ready],
  ['/v1/files', files],
  ['/v1/files/:id', file],
  ['/v1/input-events', inputEvents],
  ['/v1/log/:path{.+}', log],
  ['/v1/logs', logs],
  ['/v1/mcp/:agent/:server', mcp],
  ['/v1/mcp/t/:externalId/:agent/:server', tenantMcp],
  ['/v1/metrics', metrics],
  ['/v1/openapi.json', openapi],
  ['/v1/policies', policies],
  ['/v1/policies/:policyId/versions', policyVersions],
  ['/v1/policies/:policyId/versions/:version/publish', publish],
  ['/v1/traces', telemetry],
  ['/v1/:procedure{[^/]+}', procedures],
]

export const api = new Hono()

for (const [path, module] of routes)
  api.all(path, async (c) => {
    const { method } = c.req
    const handler = module[(method === 'HEAD' ? 'GET' : method) as keyof Module]
    const params: Record<string, string> = c.req.param()
    if (handler === undefined)
      return refuse('method_not_allowed', `This route does not support ${method}.`, allowIn(path, module, params))
    const request = c.req.raw
    const answered = complete(await handler(request, { params: Promise.resolve(params) }))
    const response = await compressed(request, await unlessKnown(request, answered))
    return method === 'HEAD' ? await withoutBody(response) : response
  })

api.notFound(() => refuse('not_found', 'Route not found.'))

function allowIn(path: string, module: Module, { procedure = '' }: Record<string, string>): Record<string, string> {
  const kind = path.includes(':procedure') ? kinds.get(procedure) : undefined
  return { allow: kind === undefined ? allowOf(module) : allowed[kind] }
}

const kinds = new Map(declaredProcedures(appRouter).map(([name, { kind }]) => [name, kind]))

function refuse(
  code: 'method_not_allowed' | 'not_found',
  message: string,
  headers: Record<string, string> = {},
): Response {
  const response = errorResponse(new ApiError(code, message), newId())
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Every response has these headers, also those of handlers that know neither caller nor kernel, such as health. */
function complete(response: Response): Response {
  const { headers } = response
  if (!headers.has('ratelimit')) withRateHeaders(response, unspentCalls(runtime().config))
  if (!headers.has('x-content-type-options')) headers.set('x-content-type-options', 'nosniff')
  return response
}

/** The response to HEAD has the headers of the one to GET. A stream is closed before it sends anything. */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response
  await response.body?.cancel()
  return new Response(null, { status, headers })
}
