import { ApiError } from '#lib/errors.ts'

/** The one answer for a tenant that does not exist and for one in which the caller has no active membership. */
export const accessDenied = (): ApiError => new ApiError('tenant_access_denied', 'Tenant access denied')
