import { ApiError } from '#lib/errors.ts'
import { newId } from '#server/kernel/ids.ts'
import type { RouteHandler } from '#server/kernel/rest.ts'
import { scimPath } from './address.ts'
import { refused } from './door.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The methods of one address. Any other is 405 in the form of SCIM. */
export function address(
  path: string,
  table: Partial<Record<Method, RouteHandler>>,
): [path: string, module: Record<Method, RouteHandler>] {
  const allow = Object.keys(table)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ')
  const refuse: RouteHandler = () => {
    const response = refused(new ApiError('method_not_allowed', `This address supports ${allow}.`), newId())
    response.headers.set('allow', allow)
    return Promise.resolve(response)
  }
  const { GET = refuse, POST = refuse, PUT = refuse, PATCH = refuse, DELETE = refuse } = table
  return [`${scimPath}${path}`, { GET, POST, PUT, PATCH, DELETE }]
}
