import { runtime } from '#server/kernel/runtime.ts'

/** The base address that an administrator gives to the provider. */
export const scimPath = '/scim/v2'

export const addressOf = (path: string): string => `${runtime().config.baseUrl}${scimPath}/${path}`

/** `meta` of a resource (RFC 7643, section 3.1). Times are absent for what the server itself defines. */
export const metaOf = (
  resourceType: string,
  path: string,
  more: { created?: Date; lastModified?: Date; version?: string } = {},
) => ({
  resourceType,
  ...(more.created === undefined ? {} : { created: more.created.toISOString() }),
  ...(more.lastModified === undefined ? {} : { lastModified: more.lastModified.toISOString() }),
  location: addressOf(path),
  ...(more.version === undefined ? {} : { version: more.version }),
})
