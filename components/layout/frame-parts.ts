export type FrameTenant = {
  externalId: string
  name?: string
  /** `#rrggbb` or `oklch(L C H)`. */
  accent?: string
  /** Same origin or a data URL; the content security policy allows no others. */
  logoUrl?: string
}

export type FrameUser = {
  name: string
  /** The person's role in this tenant: "Approver". */
  role?: string
}
