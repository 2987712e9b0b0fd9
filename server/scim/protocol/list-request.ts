import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { invalidSyntax, invalidValue } from './errors.ts'
import { type Filter, parseFilter } from './filter.ts'
import { type Projection, readProjection } from './projection.ts'
import { isSame, memberOf } from './read-resource.ts'

export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** Resources in one page, by default and at most. */
export const pageSize = { usual: 100, most: 200 }

export type ListRequest = { filter: Filter | undefined; startIndex: number; count: number; projection: Projection }

/** Reads the query of a list (RFC 7644, section 3.4.2). Throws 400. */
export function readQuery(query: URLSearchParams): ListRequest {
  const text = query.get('filter')
  return {
    filter: text === null || text.trim() === '' ? undefined : parseFilter(text),
    startIndex: Math.max(1, wholeNumber(query.get('startIndex'), 'startIndex', 1)),
    count: countOf(wholeNumber(query.get('count'), 'count', pageSize.usual)),
    projection: projectionOfQuery(query),
  }
}

export const projectionOfQuery = (query: URLSearchParams): Projection =>
  readProjection(namesIn(query.get('attributes')), namesIn(query.get('excludedAttributes')))

const namesIn = (text: string | null): string[] => (text ?? '').split(',').filter((name) => name.trim() !== '')

/** Reads the body of a search (RFC 7644, section 3.4.3). Throws 400. */
export function readSearch(body: JsonValue): ListRequest {
  if (!isJsonObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const schemas = memberOf(body, 'schemas')
  if (!Array.isArray(schemas) || !schemas.some((one) => isSame(one, searchSchema)))
    throw invalidSyntax(`schemas must contain ${searchSchema}.`)
  const filter = memberOf(body, 'filter') ?? ''
  if (typeof filter !== 'string') throw invalidValue('filter: Must be a text.')
  return {
    filter: filter.trim() === '' ? undefined : parseFilter(filter),
    startIndex: Math.max(1, wholeNumber(memberOf(body, 'startIndex'), 'startIndex', 1)),
    count: countOf(wholeNumber(memberOf(body, 'count'), 'count', pageSize.usual)),
    projection: readProjection(textsIn(body, 'attributes'), textsIn(body, 'excludedAttributes')),
  }
}

function textsIn(body: JsonObject, name: string): string[] {
  const value = memberOf(body, name) ?? []
  const texts = Array.isArray(value) ? value : [value]
  return texts.map((one) => {
    if (typeof one !== 'string') throw invalidValue(`${name}: Must be a list of texts.`)
    return one
  })
}

const countOf = (wanted: number): number => Math.min(Math.max(0, wanted), pageSize.most)

function wholeNumber(value: JsonValue | undefined, name: string, usual: number): number {
  if (value === null || value === undefined || value === '') return usual
  const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 999_999_999)
    throw invalidValue(`${name}: Must be a whole number.`)
  return number
}

/** A page of a list. */
export const listResponse = (total: number, startIndex: number, resources: JsonObject[]): JsonObject => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
