import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { toolsOffered } from './known-tools.ts'

const tenant: Tenant = {
  id: newId(),
  slug: 'acme',
  externalId: 'ext-acme',
  name: 'acme',
  displayName: 'acme',
  branding: {
    displayName: 'acme',
    logoUrl: null,
    logoMarkUrl: null,
    logoAlt: 'acme',
    accentColor: null,
    coBranding: 'none',
  },
  settings: {},
}

describe('toolsOffered', () => {
  const timeout = new Error('payments', { cause: new SdkError(SdkErrorCode.RequestTimeout, 'No answer.') })
  const listing = (...outcomes: (Error | 'listed')[]) => {
    const asked: Tenant[] = []
    const list = async (by: Tenant) => {
      asked.push(by)
      const outcome = outcomes.shift()
      if (outcome instanceof Error) throw outcome
      return []
    }
    return { asked, list }
  }

  test('retries while the server is only slow', async () => {
    const { asked, list } = listing(timeout, timeout, 'listed')
    await toolsOffered(tenant, 'payments', list)
    expect(asked).toHaveLength(3)
  })

  test('throws when the server does not start', async () => {
    const { asked, list } = listing(timeout, new Error('spawn ENOENT'))
    await expect(toolsOffered(tenant, 'payments', list)).rejects.toThrow('spawn ENOENT')
    expect(asked).toHaveLength(2)
  })
})
