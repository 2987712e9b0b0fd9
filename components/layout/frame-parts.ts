export type FrameTenant = {
  externalId: string
  name?: string
  /** `#rrggbb` or `oklch(L C H)`. */
  accent?: string
  /** Same origin or a data URL: the page's policy allows no other. */
  logoUrl?: string
}

export type FrameUser = {
  name: string
  /** What the person is here: "Approver". */
  role?: string
}
