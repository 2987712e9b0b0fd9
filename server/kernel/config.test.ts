import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.ts'

describe.each(['BASE_URL', 'AUTH_URL'])('%s', (name) => {
  test.each(['https://x.example/sub', 'https://x.example?x=1', 'https://x.example/#top', 'https://u:p@x.example'])(
    'can’t be %s, which is not an origin',
    (value) => {
      const load = () => loadConfig({ [name]: value })
      expect(load).toThrow(ConfigError)
      expect(load).toThrow(`${name} must be an http(s) origin without a path`)
    },
  )

  test('is an origin, with or without slashes at its end', () => {
    for (const value of ['https://x.example', 'https://x.example/', 'https://x.example//']) {
      const { baseUrl, authUrl } = loadConfig({ [name]: value })
      expect(name === 'BASE_URL' ? baseUrl : authUrl).toBe('https://x.example')
    }
    expect(loadConfig({ [name]: 'http://[::1]:3000/' })).toMatchObject({
      [name === 'BASE_URL' ? 'baseUrl' : 'authUrl']: 'http://[::1]:3000',
    })
  })
})
