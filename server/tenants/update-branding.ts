import { createHash } from 'node:crypto'
import { ApiError } from '#lib/errors.ts'
import { maxImageBytes } from '#lib/rules/branding.ts'
import { Branding, UpdateBrandingInput, UpdateBrandingOutput } from '#lib/schemas/tenants.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mutation } from '#server/kernel/operation.ts'
import { whyNotImage } from './image.ts'
import { deleteOldImages, insertImage } from './image-store.ts'
import { lockTenant, setTenant } from './store.ts'
import { tenantView } from './view.ts'

type Image = NonNullable<UpdateBrandingInput['logo']>

/** Changes the tenant's appearance on the console and on the sign-in page. */
export const updateBranding = mutation({
  permission: 'tenant:manage',
  input: UpdateBrandingInput,
  output: UpdateBrandingOutput,
  audit: (_input, output) => ({
    action: 'tenant.branding_updated',
    resource: { type: 'tenant', id: output?.tenant.id ?? 'none' },
    details: output && { branding: output.tenant.branding, revision: output.revision },
  }),
  async run({ tx, tenant, input }) {
    const row = await lockTenant(tx, tenant.id)
    if (input.expectedRevision !== undefined && input.expectedRevision !== row.revision)
      throw new ApiError('revision_conflict', 'The tenant changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    const before = Branding.parse(row.branding)
    const branding: Branding = {
      displayName: input.displayName ?? before.displayName,
      logoUrl: await stored(tx, tenant.id, 'logo', input.logo, before.logoUrl),
      logoMarkUrl: await stored(tx, tenant.id, 'logoMark', input.logoMark, before.logoMarkUrl),
      logoAlt: input.logoAlt ?? before.logoAlt,
      accentColor: input.accentColor === undefined ? before.accentColor : input.accentColor,
      coBranding: input.coBranding ?? before.coBranding,
      language: input.language === undefined ? before.language : input.language,
    }
    const revision = await setTenant(tx, tenant.id, { branding })
    await deleteOldImages(
      tx,
      tenant.id,
      [branding.logoUrl, branding.logoMarkUrl].filter((digest) => digest !== null),
    )
    return { tenant: tenantView({ ...row, branding }), revision }
  },
})

/**
 * Stores an image and returns its SHA-256, which is the part that branding refers to. Throws 413 and
 * `validation_failed`.
 */
async function stored(
  tx: Transaction,
  tenantId: string,
  field: 'logo' | 'logoMark',
  image: Image | null | undefined,
  before: string | null,
): Promise<string | null> {
  if (image === undefined) return before
  if (image === null) return null
  const bytes = Buffer.from(image.data, 'base64')
  if (bytes.length > maxImageBytes)
    throw new ApiError('payload_too_large', `A logo can have at most ${maxImageBytes / 1024} KiB.`)
  const problem = whyNotImage(image.mediaType, bytes)
  if (problem !== undefined)
    throw new ApiError('validation_failed', `${field}: ${problem}`, { issues: [{ path: field, message: problem }] })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await insertImage(tx, { tenantId, sha256, mediaType: image.mediaType, bytes })
  return sha256
}
