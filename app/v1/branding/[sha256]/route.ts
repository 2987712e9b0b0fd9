import { methods } from '#server/kernel/rest.ts'
import { brandingImage } from '#server/tenants/branding-image.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ GET: brandingImage })
