import type { CatalogEntry } from '#server/catalog/operations.ts'
import { declarationOf } from '#server/kernel/rest.ts'
import { declaredProcedures } from '#server/kernel/trpc.ts'
import { scimPath } from '#server/scim/address.ts'
import { appRouter } from './router.ts'
import { routes } from './routes.ts'

/** Handlers without an operation: their callers do not have a token yet. */
export const openRoutes = new Set([
  '/.well-known/countersign/:externalId/log-keys.json',
  '/.well-known/oauth-protected-resource/v1/mcp/t/:externalId/:agent/:server',
  '/v1/branding/:sha256',
  '/v1/health/live',
  '/v1/health/ready',
])
/** Serves the procedures, which declare their operations themselves. */
const procedures = '/v1/:procedure{[^/]+}'

/**
 * Every operation of every procedure and route. Throws if a handler declares none, so that such a server does not
 * start.
 */
export function collectCatalog(table = routes): CatalogEntry[] {
  const called = declaredProcedures(appRouter).map(([name, operation]): CatalogEntry => {
    const method = operation.kind === 'mutation' ? 'POST' : 'GET'
    return { name, transport: 'procedure' as const, method, path: `/v1/${name}`, operation }
  })
  const routed = table
    // SCIM describes itself, in its own terms.
    .filter(([path]) => path !== procedures && !openRoutes.has(path) && !path.startsWith(`${scimPath}/`))
    .flatMap(([path, module]) =>
      (['GET', 'POST'] as const).flatMap((method): CatalogEntry[] => {
        const handler = module[method]
        const declaration = handler === undefined ? 'no such verb' : declarationOf(handler)
        if (declaration === undefined)
          throw new Error(
            `${method} ${path} declares no operation. Create it with rest() or declare(), or list it as open.`,
          )
        return declaration === 'no such verb' ? [] : [{ ...declaration, transport: 'route' as const, method, path }]
      }),
    )
  return [...called, ...routed]
}
