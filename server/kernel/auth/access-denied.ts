import { ApiError } from '#lib/errors.ts'

/** The single response for an unknown tenant and for a tenant of which the caller is not an active member. */
export const accessDenied = (): ApiError => new ApiError('tenant_access_denied', 'Tenant access denied')
