import { invalidPath, ScimError } from './errors.ts'
import { type Filter, parseFilter } from './filter.ts'

/** The target of an operation of PATCH: `attribute[filter].sub` (RFC 7644, section 3.5.2, figure 7). */
export type Path = {
  schema: string | undefined
  attribute: string
  filter: Filter | undefined
  sub: string | undefined
}

const form = /^(?:(urn:[^\s[\]"]+):)?([A-Za-z$][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/s

/** Parses a path. Throws 400 `invalidPath`, or `invalidFilter` for the filter in it. */
export function parsePath(text: string): Path {
  const found = text.length > 2_500 ? null : form.exec(text.trim())
  const [, schema, attribute, filter, sub] = found ?? []
  if (attribute === undefined)
    throw invalidPath('path must be an attribute, such as name.givenName or members[value eq "…"].')
  return { schema, attribute, filter: filter === undefined ? undefined : filterOf(filter), sub }
}

function filterOf(text: string): Filter {
  try {
    return parseFilter(text)
  } catch (error) {
    if (error instanceof ScimError) throw invalidPath(`The filter of the path: ${error.message}`)
    throw error
  }
}
