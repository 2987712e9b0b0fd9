import * as t from '#components/texts/settings-notifications/en.ts'
import { addressProblem, type ChannelKind } from '#lib/schemas/notifications/channel-address.ts'

/** Why a channel of this kind can't send to an address, in the language of the page. A test compares the English of the API. */
export function addressText(kind: ChannelKind, address: string): string | undefined {
  const problem = addressProblem(kind, address)
  return problem && t.addressProblem({ problem })
}
