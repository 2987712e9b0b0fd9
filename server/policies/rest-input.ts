/** Page parameters from a query string, where every value is text; the operation's schema validates them. */
export const pageFrom = ({ limit, ...query }: Record<string, string>): Record<string, unknown> => ({
  ...query,
  ...(limit === undefined ? {} : { limit: Number(limit) }),
})

/** A JSON body merged with the path parameters. The schema rejects a body that repeats one or that is not an object. */
export function bodyFor(path: Record<string, string | undefined>, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const repeated = Object.keys(path).filter((key) => Object.hasOwn(body, key))
  return { ...body, ...path, ...Object.fromEntries(repeated.map((key) => [`${key} in the body`, true])) }
}
