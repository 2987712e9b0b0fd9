import { Hono } from 'hono'
import { ApiError } from '#lib/errors.ts'
import { logKeysRoute } from '#server/audit/monitors/log-keys-route.ts'
import { newId } from '#server/kernel/ids.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import * as procedures from '../app/v1/[...path]/route.ts'
import * as brandingImage from '../app/v1/branding/[sha256]/route.ts'
import * as catalog from '../app/v1/catalog/route.ts'
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
import * as mcp from '../app/v1/mcp/[agent]/[server]/route.ts'
import * as metrics from '../app/v1/metrics/route.ts'
import * as openapi from '../app/v1/openapi.json/route.ts'
import * as publish from '../app/v1/policies/[policyId]/versions/[version]/publish/route.ts'
import * as policyVersions from '../app/v1/policies/[policyId]/versions/route.ts'
import * as policies from '../app/v1/policies/route.ts'
import * as telemetry from '../app/v1/traces/route.ts'

type Module = Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler>>

/**
 * The routes outside /v1, and every route file of app/v1, most specific first. The server calls them directly; going through Next would cost four
 * times the CPU.
 */
export const routes: readonly [path: string, module: Module][] = [
  ['/.well-known/countersign/:externalId/log-keys.json', { GET: logKeysRoute }],
  ['/v1/branding/:sha256', brandingImage],
  ['/v1/catalog', catalog],
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
  ['/v1/mcp/:agent/:server', mcp],
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
  api.all(path, (c) => {
    const handler = module[c.req.method as keyof Module]
    const params: Record<string, string> = c.req.param()
    if (handler !== undefined) return handler(c.req.raw, { params: Promise.resolve(params) })
    const allow = (['GET', 'POST'] as const).filter((method) => module[method] !== undefined).join(', ')
    const response = errorResponse(new ApiError('method_not_allowed', `This route supports ${allow}.`), newId())
    response.headers.set('allow', allow)
    return response
  })

api.notFound(() => errorResponse(new ApiError('not_found', 'Route not found.'), newId()))
