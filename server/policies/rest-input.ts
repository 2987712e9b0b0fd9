/** A page's parameters from a query string, where everything is text; the operation's schema judges them. */
export const pageFrom = ({ limit, ...query }: Record<string, string>): Record<string, unknown> => ({
  ...query,
  ...(limit === undefined ? {} : { limit: Number(limit) }),
})

/** A JSON body with what the path says. A body that repeats a name of the path, or is no object, is left to the schema. */
export function bodyFor(path: Record<string, string | undefined>, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const repeated = Object.keys(path).filter((key) => Object.hasOwn(body, key))
  return { ...body, ...path, ...Object.fromEntries(repeated.map((key) => [`${key} in the body`, true])) }
}
