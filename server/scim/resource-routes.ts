import type { z } from 'zod'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import type { Mutation, Query } from '#server/kernel/operation.ts'
import { address } from './address-table.ts'
import { type Answer, type Given, resourceAnswer, scim } from './door.ts'
import type { Creating, Patching, Reading, Replacing, Target } from './protocol/inputs.ts'
import { type ListRequest, listResponse, projectionOfQuery, readQuery, readSearch } from './protocol/list-request.ts'
import { readPatch } from './protocol/patch.ts'
import { project } from './protocol/projection.ts'
import { memberOf, readResource } from './protocol/read-resource.ts'
import type { Schema } from './schemas/attribute.ts'

export type Page = { total: number; resources: JsonObject[] }
type One = { resource: JsonObject }

/** The operations of one type of resource. */
type Operations<C extends One, R extends One, P extends One, D> = {
  /** As in the names of operations: `scim.listUsers`. */
  name: string
  schema: Schema
  list: Query<ListRequest, Page>
  get: Query<z.infer<typeof Reading>, JsonObject>
  create: Mutation<z.infer<typeof Creating>, C>
  replace: Mutation<z.infer<typeof Replacing>, R>
  patch: Mutation<z.infer<typeof Patching>, P>
  remove: Mutation<Target, D>
}

/** The addresses of one type of resource: /Users, /Users/.search, /Users/<id>. */
export function resourceRoutes<C extends One, R extends One, P extends One, D>(operations: Operations<C, R, P, D>) {
  const { name, schema } = operations
  const all = `/${name}s`
  return [
    address(all, {
      GET: scim({
        name: `scim.list${name}s`,
        operation: operations.list,
        input: ({ query }) => readQuery(query),
        answer: (page, { query }) => listAnswer(page, readQuery(query)),
      }),
      POST: scim({
        name: `scim.create${name}`,
        operation: operations.create,
        input: (given) => ({ resource: resourceIn(given, schema) }),
        answer: ({ resource }, given) => shown(resource, given, 201),
      }),
    }),
    address(`${all}/.search`, {
      POST: scim({
        name: `scim.list${name}s`,
        operation: operations.list,
        input: ({ body }) => readSearch(body),
        answer: (page, { body }) => listAnswer(page, readSearch(body)),
      }),
    }),
    address(`${all}/:id`, {
      GET: scim({
        name: `scim.get${name}`,
        operation: operations.get,
        input: ({ id, query }) => ({ id, projection: projectionOfQuery(query) }),
        answer: (resource, given) => shown(resource, given),
      }),
      PUT: scim({
        name: `scim.replace${name}`,
        operation: operations.replace,
        input: (given) => ({ ...targetOf(given), resource: resourceIn(given, schema), named: namesIn(given, schema) }),
        answer: ({ resource }, given) => shown(resource, given),
      }),
      PATCH: scim({
        name: `scim.patch${name}`,
        operation: operations.patch,
        input: (given) => ({ ...targetOf(given), operations: readPatch(given.body) }),
        answer: ({ resource }, given) => shown(resource, given),
      }),
      DELETE: scim({
        name: `scim.remove${name}`,
        operation: operations.remove,
        input: targetOf,
        answer: () => ({ status: 204 }),
      }),
    }),
  ]
}

export const listAnswer = ({ total, resources }: Page, { startIndex, projection }: ListRequest): Answer => ({
  status: 200,
  body: listResponse(
    total,
    startIndex,
    resources.map((resource) => project(resource, projection)),
  ),
})

const shown = (resource: JsonObject, { query }: Given, status?: number): Answer =>
  resourceAnswer(resource, project(resource, projectionOfQuery(query)), status)

/** Also refuses a wrong projection, before anything has changed. */
function targetOf({ id, ifMatch, query }: Given): Target {
  projectionOfQuery(query)
  return { id, ifMatch }
}

function resourceIn({ body, query }: Given, schema: Schema): JsonObject {
  projectionOfQuery(query)
  return readResource(schema, body)
}

const namesIn = ({ body }: Given, { attributes }: Schema): string[] =>
  attributes.flatMap(({ name }) => (isJsonObject(body) && memberOf(body, name) !== undefined ? [name] : []))
