import { z } from 'zod'
import { Actor, Id } from './common.ts'

export const Branding = z.object({
  displayName: z.string(),
  logoUrl: z.string().nullable(),
  logoMarkUrl: z.string().nullable(),
  logoAlt: z.string(),
  accentColor: z.string().nullable(),
  coBranding: z.enum(['none', 'powered_by', 'dual']),
})
export type Branding = z.infer<typeof Branding>

export const TenantSettings = z.object({
  separationOfDuties: z.enum(['required', 'off']).default('required'),
  machineDecisions: z.enum(['on', 'off']).default('off'),
})
export type TenantSettings = z.infer<typeof TenantSettings>

/** tenants.current, field by field as in the specification. */
export const Tenant = z.object({
  id: Id,
  externalId: z.string(),
  name: z.string(),
  displayName: z.string(),
  branding: Branding,
})
export type Tenant = z.infer<typeof Tenant>

/** session.me: who the caller is here, so that the console can say why a control is blocked. */
export const Session = z.object({
  principal: Actor.extend({
    roles: z.array(z.string()),
    permissions: z.array(z.string()),
    groups: z.array(z.string()),
  }),
  tenant: Tenant,
  settings: TenantSettings,
})
export type Session = z.infer<typeof Session>
