import { afterAll, describe, expect, test } from 'vitest'
import { startEmbedded, startStage } from '../support/daemon.ts'
import { listen } from './page-stream.ts'

const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const stage = await startStage({ superValidators: 7, config: { 'ui.public': true } })

afterAll(() => stage[Symbol.asyncDispose]())

function form(fields: Record<string, string>, headers: Record<string, string> = sameOrigin) {
  const body = new URLSearchParams(fields).toString()
  return {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  }
}

describe('What the page changes', () => {
  test('are faults of a localnet: injected, shown and healed', async () => {
    const injected = await stage.operations('/ui/faults', form({ sv: 'sv-5', kind: 'deny' }))
    expect(injected).toMatchObject({
      status: 303,
      headers: { location: '../localnet?changed=sv-5#faults-heading' },
    })
    expect((await stage.operations('/localnet')).text).toMatch(
      /<strong>sv-5<\/strong>\s*<span class="bad">deny<\/span>/,
    )
    expect(stage.localnet.show().find(({ name }) => name === 'sv-5')?.fault).toMatchObject({ kind: 'deny' })
    await stage.operations('/ui/faults', form({ sv: 'sv-6', kind: 'hang' }))
    expect((await stage.operations('/localnet')).text).toContain('2 are faulty')
    expect((await stage.operations('/ui/faults', form({ sv: 'sv-6' }))).status).toBe(303)
    expect((await stage.operations('/ui/faults', form({ heal: 'all' }))).status).toBe(303)
    expect(stage.localnet.show().every(({ fault }) => fault === null)).toBe(true)
  })

  test('can be every fault there is, none of which needs more than its name', async () => {
    for (const { kind } of stage.localnet.faults)
      expect((await stage.operations('/ui/faults', form({ sv: 'sv-7', kind }))).status, kind).toBe(303)
    await stage.fault(['sv-7'], undefined)
  })

  test('is refused in words beside the form, with all that was typed, at the address of the page', async () => {
    const refused = [
      [form({ sv: 'sv-99', kind: 'lie' }), 'No super validator is called sv-99.', 'value="lie" selected'],
      [form({ sv: 'sv-4', kind: 'x"' }), 'No fault is called x&quot;.', '<option selected>sv-4'],
      [form({ sv: 'sv-1', kind: 'x'.repeat(20_000) }), 'exceeds 16384 bytes', '<option >sv-1'],
    ] as const
    for (const [options, why, typed] of refused) {
      const answer = await stage.operations('/ui/faults', options)
      expect(answer.status).toBe(303)
      const location = String(answer.headers['location'])
      expect(location).toMatch(/^\.\.\/localnet\?refused=[\w-]{36}#refusal$/)
      for (let reload = 0; reload < 2; reload++) {
        const { status, text } = await stage.operations(location.replace(/^\.\.|#.*$/g, ''))
        expect(status).toBe(200)
        expect(text).toContain('role="alert"')
        expect(text).toContain(why)
        expect(text).toContain(typed)
      }
    }
    expect((await stage.operations('/localnet?refused=unknown')).text).not.toContain('role="alert"')
    expect(await stage.operations('/ui/faults')).toMatchObject({
      status: 303,
      headers: { location: '../localnet' },
    })
  })

  test('is nothing that another site can have an operator do', async () => {
    const hostile = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of hostile) {
      for (const path of ['/ui/faults', '/ui/registrations', '/ui/doctor'])
        expect((await stage.operations(path, form({ sv: 'sv-1', kind: 'lie' }, headers))).status).toBe(403)
    }
    expect(stage.localnet.show().every(({ fault }) => fault === null)).toBe(true)
    expect((await stage.operations('/network')).text).not.toMatch(/examination runs|Examined/)
  })

  test('is nothing on the public address, and no button for it', async () => {
    expect((await stage.get('/')).text).not.toMatch(/method="post"|Localnet/)
    for (const path of ['/ui/faults', '/ui/registrations', '/ui/doctor'])
      expect((await stage.get(path, form({ sv: 'sv-1', kind: 'lie' }))).status).toBe(404)
    const { first, leave } = await listen(stage.daemon.http)
    leave()
    expect(first).not.toMatch(/live-faults|live-doctor/)
  })

  test('are names that are registered, paid for and found at once', async () => {
    await using embedded = await startEmbedded({ 'ui.public': true })
    const fields = {
      name: 'alice',
      user: 'alice',
      url: 'https://alice.example',
      description: 'It <b>is</b> I',
    }
    const done = await embedded.operations('/ui/registrations', form(fields))
    expect(done).toMatchObject({
      status: 303,
      headers: { location: '../?by=name&q=alice.unverified.cns#answer' },
    })
    const { text } = await embedded.operations('/?by=name&q=alice.unverified.cns')
    expect(text).toContain('4 of 4 super validators gave this answer')
    expect(text).toContain('It &lt;b&gt;is&lt;/b&gt; I')
    expect(text).toContain('href="https://alice.example"')
    const refusal = async (changed: Record<string, string>) => {
      const answer = await embedded.operations('/ui/registrations', form({ ...fields, ...changed }))
      return (await embedded.operations(String(answer.headers['location']).replace(/^\.\.|#.*$/g, ''))).text
    }
    expect(await refusal({ user: 'bob' })).toMatch(/role="alert"[^>]*>[^<]*alice.unverified.cns/)
    const whole = await embedded.operations(
      '/ui/registrations',
      form({ ...fields, name: 'bob.unverified.cns', user: 'bob' }),
    )
    expect(whole.headers['location']).toBe('../?by=name&q=bob.unverified.cns#answer')
    const all = await refusal({ name: '', user: 'a b', url: 'alice.example', description: 'x'.repeat(141) })
    expect(all, 'in the order of the fields').toMatch(
      /The name has nothing before.*The user has to have 1 to 128 letters.*The website does not begin.*The description has more/,
    )
    expect(await refusal({ name: 'dave', user: 'dso-automation' })).toContain('is the automation of the DSO.')
    expect(await refusal({ name: 'a b', user: ' ' })).toMatch(/may have only a to z.*Type the user/)
    const wrong = await refusal({ name: 'a b' })
    expect(wrong).toContain('may have only a to z')
    for (const typed of ['a b', 'alice', 'https://alice.example', 'It &lt;b&gt;is&lt;/b&gt; I'])
      expect(wrong).toContain(`value="${typed}"`)
  })

  test('is the clock of a localnet: forward until a name expires, by a whole number of days', async () => {
    await using embedded = await startEmbedded({ 'ui.public': true })
    const move = (days: string) => embedded.operations('/ui/clock', form({ days }))
    const fields = { name: 'carol', user: 'carol', url: '', description: '' }
    await embedded.operations('/ui/registrations', form(fields))
    for (const days of ['', '0', '-1', '1.5', '401', 'x']) {
      const refused = await move(days)
      const page = await embedded.operations(String(refused.headers['location']).replace(/^\.\.|#.*$/g, ''))
      expect(page.text).toContain('Type a whole number of days from 1 to 400.')
    }
    expect((await embedded.operations('/')).text).not.toContain('days ahead')
    expect(await move('91')).toMatchObject({
      status: 303,
      headers: { location: '../localnet#clock-heading' },
    })
    expect((await embedded.operations('/')).text).toContain('clock 91 days ahead')
    const { text } = await embedded.operations('/?by=name&q=carol.unverified.cns')
    expect(text).toContain('said that there is none')
    expect(text).toContain('Removed, as it had expired')
    expect((await embedded.operations('/ui/clock')).status).toBe(303)
  })
})
