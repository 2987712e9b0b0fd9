/** How the external ids of demo tenants begin, and no others: a constraint of the database, migration 0103. */
export const demoPrefix = 'countersign-demo.'

/**
 * Whether a tenant is a demo. Its external id is in each leaf of its log and in each checkpoint, so nothing that it signed can
 * be shown without it.
 */
export const isDemoTenant = (externalId: unknown): boolean =>
  typeof externalId === 'string' && externalId.startsWith(demoPrefix)

/** What is said wherever a demo tenant or its archive is shown. */
export const demoMark = 'A demo tenant: its times were chosen.'
