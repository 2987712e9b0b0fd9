import type { Standing as Budget } from '#server/kernel/rate/budget.ts'
import { createShares, type Shares, type Taken } from '#server/kernel/rate/shares.ts'
import type { Standing } from './turns.ts'

const seconds = 300

/** Guesses in five minutes, on all nodes together. */
const shares = {
  /** At one account by a browser in which someone signed in to it before. */
  browser: createShares({ policy: 'browser', limit: 10, seconds }),
  /** At one account from one address. */
  pair: createShares({ policy: 'pair', limit: 10, seconds }),
  /** At one account by all strangers together, so that many addresses guess no faster than three. */
  account: createShares({ policy: 'account', limit: 30, seconds }),
  /** At all accounts of a realm by the strangers at one address. */
  address: createShares({ policy: 'address', limit: 100, seconds }),
}

export type Guess = {
  tenantId: string
  account: string
  group: string
  /** The id of a browser in which someone signed in to this account before. */
  browser: string | undefined
}

/** The shares from which a guess is taken. What others use up never concerns a known browser. */
function sharesOf({ account, group, browser }: Guess, standing: Standing): [Shares, name: string][] {
  if (browser !== undefined) return [[shares.browser, `browser/${account}/${browser}`]]
  const pair: [Shares, string] = [shares.pair, `pair/${account}/${group}`]
  if (standing !== 'stranger') return [pair]
  return [[shares.address, `address/${group}`], pair, [shares.account, `account/${account}`]]
}

/** Without the browser once its share is used up: a thief of its cookie must not stop its owner. */
export const unspent = (guess: Guess): Guess =>
  guess.browser !== undefined && spentShare(guess, 'browser') !== undefined ? { ...guess, browser: undefined } : guess

/** The first share of the guess that is used up, as far as this process knows. */
export function spentShare(guess: Guess, standing: Standing): Budget | undefined {
  for (const [share, name] of sharesOf(guess, standing)) {
    const spent = share.spent(guess.tenantId, name)
    if (spent !== undefined) return spent
  }
  return undefined
}

/** Counts the guess before it is tried. Nothing is counted if one of its shares is used up. */
export async function takeGuess(guess: Guess, standing: Standing): Promise<Taken> {
  const taken: { giveBack(): void }[] = []
  const giveBack = () => {
    for (const one of taken) one.giveBack()
  }
  for (const [share, name] of sharesOf(guess, standing)) {
    const one = await share.take(guess.tenantId, name)
    if ('spent' in one) {
      giveBack()
      return one
    }
    taken.push(one)
  }
  return { giveBack }
}
