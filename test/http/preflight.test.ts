import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'

test('a preflight of every operation allows its method', async () => {
  await using running = await startEmbedded()
  const { paths } = JSON.parse((await running.get('/openapi.json')).text) as {
    readonly paths: Readonly<Record<string, object>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  )
  expect(operations).toContainEqual({ path: '/v0/wallet/auto-renewal', method: 'PUT' })
  const refused: string[] = []
  for (const { path, method } of operations) {
    const heard = await running.get(path.replaceAll(/\{[^}]+\}/g, 'x'), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': method },
    })
    const allowed = String(heard.headers['access-control-allow-methods']).split(', ')
    if (heard.status !== 200 || !allowed.includes(method)) refused.push(`${method} ${path}`)
  }
  expect(refused).toEqual([])
})
