import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { call, decideAs, externalId, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { demoTenant, expect, test } from './fixtures.ts'
import { environment, readerManifest, releasedAgent } from './own-agent.ts'

// A person lets a program of another vendor call tools in their name, and ends that while they stay signed in.

/** The address to which the program is sent back. It takes no token. */
async function program(): Promise<{ redirectUri: string; close(): void }> {
  const server = createServer((_request, response) => response.end('Back at the program.'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { redirectUri: `http://127.0.0.1:${port}/callback`, close: () => server.close() }
}

async function mayRegister(origin: string, clientRegistration: 'on' | 'off'): Promise<void> {
  const tom = await personToken(origin, 'tom')
  const { revision } = await call<{ revision: number }>(origin, tom, 'query', 'tenants.getSettings', {})
  const input = { expectedRevision: revision, clientRegistration }
  type Changed = { change: { approvalId: string } | null }
  const { change } = await call<Changed>(origin, tom, 'mutation', 'tenants.updateSettings', input)
  if (change !== null) await decideAs(origin, 'jonas', change.approvalId, 'approve', 'Editors may sign in.')
}

/** Registers the program, and opens the page on which the person is asked. */
async function ask(page: Page, origin: string, agent: string, redirectUri: string): Promise<string> {
  const realm = `${origin}/realms/${demoTenant().slug}`
  const registered = await page.request.post(`${realm}/clients-registrations/openid-connect`, {
    data: { client_name: 'Editor of a stranger', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
  })
  expect(registered.status()).toBe(201)
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'execution:start',
    // SHA-256 of a verifier that is never sent.
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: `${origin}/v1/mcp/t/${externalId()}/${agent}/payments?environment=${environment}`,
  })
  await page.goto(`${realm}/protocol/openid-connect/auth?${query}`)
  return clientId
}

test('a program that was allowed is listed with what it may call, and loses its access alone', async ({
  signedIn,
  origin,
}) => {
  const agent = `programs-${Date.now()}`
  await releasedAgent(origin, readerManifest(agent))
  await mayRegister(origin, 'on')
  const { redirectUri, close } = await program()
  try {
    const page = await signedIn('maria')
    const clientId = await ask(page, origin, agent, redirectUri)
    await expectEveryView(page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect(page.getByText('Back at the program.')).toBeVisible()

    await page.goto(`${home()}/settings/me`)
    const programs = page.getByRole('table', { name: 'Programs with access' })
    const row = programs.getByRole('row').filter({ hasText: clientId })
    await expect(row).toContainText('Editor of a stranger')
    await expect(row).toContainText(`tools of payments for the agent ${agent}, in ${environment} only`)
    await expect(row).toContainText('This browser')
    await expectEveryView(page, 'settings-programs')
    await row.getByRole('button', { name: /^End access/ }).click()
    const dialog = page.getByRole('dialog', { name: 'End access' })
    await expect(dialog).toContainText('Editor of a stranger can no longer call tools in your name, immediately.')
    await dialog.getByRole('button', { name: 'End access' }).click()
    await expect(page.getByText('The program can no longer call tools in your name.')).toBeVisible()
    await expect(row).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('table', { name: 'Your sessions' })).toContainText('This browser')
    await expect(row).toHaveCount(0)
  } finally {
    close()
    await mayRegister(origin, 'off')
  }
})
