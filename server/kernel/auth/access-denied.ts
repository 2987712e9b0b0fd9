import { ApiError } from '#lib/errors.ts'

/** The single response for an unknown tenant and for a tenant in which the caller has no active membership. */
export const accessDenied = (): ApiError => new ApiError('tenant_access_denied', 'Tenant access denied')
