import type { Permission } from '#lib/permissions.ts'

/** The specification's mapping of an API key's scopes. It is complete: any other scope is stored but has no effect. */
const granted: ReadonlyMap<string, Permission> = new Map([['decisions:read', 'approval:list']])

/** The permission that `scope` grants to an API key; undefined if it grants none. */
export const grantOfScope = (scope: string): Permission | undefined => granted.get(scope)

/** The permissions of a key with these scopes, each once. */
export const grantsOf = (scopes: Iterable<string>): Permission[] => [
  ...new Set([...scopes].map(grantOfScope).filter((permission) => permission !== undefined)),
]
