import { type PersonalLanguage, personalLanguages } from '#lib/languages.ts'
import { brandingPath } from '#lib/paths.ts'
import { realmUrl } from '#server/kernel/auth/realm.ts'
import { findRealm } from '#server/kernel/auth/realm-store.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { runtime } from '#server/kernel/runtime.ts'

export type Realm = {
  tenantId: string
  slug: string
  /** The tenant's external id: the claim `tenant`. */
  externalId: string
  displayName: string
  /** The tenant's accent colour as entered, not yet parsed. */
  accentColor: string | undefined
  /** Address of the public logo. */
  logoUrl?: string | undefined
  /** Whether and how the product's name appears on the tenant's pages. */
  coBranding?: string | undefined
  /** The tenant's default language. */
  language?: PersonalLanguage | undefined
  /** The realm's address without a trailing slash; also the issuer. */
  url: string
}

/** Anyone can name a realm, so it is read once it is the caller's turn. Throws OverloadError. */
export async function loadRealm(slug: string): Promise<Realm | undefined> {
  const row = await lookUpForStranger('realms', () => runtime().database.inDirectory((tx) => findRealm(tx, slug)))
  if (row === undefined) return undefined
  const { tenantId, externalId, displayName, branding } = row
  return {
    tenantId,
    slug,
    externalId,
    displayName: textOf(branding, 'displayName') ?? displayName,
    accentColor: textOf(branding, 'accentColor'),
    logoUrl: logoUrlOf(textOf(branding, 'logoMarkUrl') ?? textOf(branding, 'logoUrl')),
    coBranding: textOf(branding, 'coBranding'),
    language: personalLanguages.find((language) => language === textOf(branding, 'language')),
    url: realmUrl(slug),
  }
}

/** The API's host serves the images; it can differ from the provider's. */
const logoUrlOf = (sha256: string | undefined): string | undefined =>
  sha256 === undefined ? undefined : `${runtime().config.baseUrl}${brandingPath(sha256)}`

function textOf(branding: unknown, name: string): string | undefined {
  if (typeof branding !== 'object' || branding === null) return undefined
  const value: unknown = Reflect.get(branding, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
