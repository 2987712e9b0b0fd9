'use client'

import { useState } from 'react'

type TenantMarkProps = {
  /** Undefined while unknown: an initial taken from the address would differ between prerendered HTML and browser. */
  name: string | undefined
  logoUrl: string | undefined
}

/** The tenant's logo in a fixed box, or its initial on the accent colour if the logo is missing or can't be shown. */
export function TenantMark({ name, logoUrl }: TenantMarkProps) {
  const [broken, setBroken] = useState<string>()
  if (logoUrl !== undefined && logoUrl !== broken) {
    return (
      // biome-ignore lint/performance/noImgElement: the console deliberately runs without an image optimiser.
      <img
        src={logoUrl}
        // The name is next to it.
        alt=""
        width={24}
        height={24}
        onError={() => setBroken(logoUrl)}
        className="size-6 shrink-0 object-contain"
      />
    )
  }
  return (
    <span
      aria-hidden="true"
      className="inline-grid size-6 shrink-0 place-items-center bg-accent-mark font-semibold text-dense text-on-accent"
    >
      {name?.match(/\p{L}|\p{N}/u)?.[0].toUpperCase()}
    </span>
  )
}
