import * as t from '#components/texts/access-keys/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'

/** The addresses that a secret may be sent to. */
export const Destinations = ({ of: { destinations } }: { of: Secret }) =>
  destinations === null ? (
    t.notBound
  ) : (
    <ul>
      {destinations.map((origin) => (
        <li key={origin}>
          <ShownText>{origin}</ShownText>
        </li>
      ))}
    </ul>
  )
