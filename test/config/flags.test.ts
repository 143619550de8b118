import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ConfigFlag, configFlags } from '../../src/base/config/flags.ts'
import { optionAt, ownVariables } from '../../src/base/config/rows.ts'
import { configFolder, packageDir } from './folder.ts'

test.each(Object.entries<ConfigFlag>(configFlags))(
  '--%s sets an option that exists',
  (_, { path, choices }) => {
    if (path === undefined) return
    const option = optionAt(path)
    expect(option?.path).toEqual(path)
    for (const choice of choices ?? []) expect(option?.mustBe).toContain(choice)
  },
)

describe('flags of the command line', () => {
  test('override files, variables and NODE_CONFIG', () => {
    const folder = configFolder({ 'config/local.yaml': 'http: {port: 1, host: 0.0.0.0}' })
    const env = {
      HTTP_PORT: '2',
      NODE_CONFIG: '{"http":{"port":3},"logLevel":"error"}',
      SCAN_THRESHOLD: '1',
    }
    const flags = { port: '4', threshold: '2f+1', 'log-level': 'debug' }
    expect(folder.load(env, flags)).toMatchObject({
      ok: true,
      config: {
        http: { port: 4, host: '0.0.0.0' },
        logLevel: 'debug',
        scanClient: { threshold: '2f+1' },
      },
    })
  })

  test('are named where their values are wrong, all at once', () => {
    const folder = configFolder()
    const flags = { port: '80a', threshold: '-1', 'log-level': 'loud', network: 'mainet', config: 'no.yaml' }
    expect(folder.load({ HTTP_PORT: '2' }, flags)).toMatchObject({
      ok: false,
      problems: [
        '--config: there is no file no.yaml',
        'network must be one of localnet, remote, mainnet, testnet, devnet, not "mainet"; did you mean mainnet? (in --network)',
        'http.port must be a whole number from 0 to 65535, not "80a" (in --port)',
        expect.stringMatching(/^logLevel must be one of .*, not "loud" \(in --log-level\)$/),
        expect.stringMatching(/^scanClient\.threshold must be .*, not -1 \(in --threshold\)$/),
      ],
    })
  })

  test('name a file whose options lie above those of all folders and below those of variables', () => {
    const folder = configFolder({
      'config/local.yaml': 'http: {port: 1, host: 0.0.0.0}\nlogLevel: warn',
      'ours/own.yaml': 'http: {port: 2}\nlogLevel: error',
    })
    const loaded = folder.load({ LOG_LEVEL: 'debug' }, { config: 'ours/own.yaml' })
    expect(loaded).toMatchObject({
      ok: true,
      config: { http: { port: 2, host: '0.0.0.0' }, logLevel: 'debug' },
    })
    expect(loaded.files.at(-1)).toBe(join(folder.cwd, 'ours/own.yaml'))
  })

  test('name a file whose mistakes are reported with its name', () => {
    const folder = configFolder({ 'own.json': '{"http":{"prot":1}}' })
    expect(folder.load({}, { config: 'own.json' })).toMatchObject({
      problems: ['http.prot: unknown key; did you mean http.port? (in own.json)'],
    })
  })

  test('name no folder as a file', () => {
    const folder = configFolder({ 'config/local.yaml': '' })
    expect(folder.load({}, { config: 'config' })).toMatchObject({
      problems: [expect.stringMatching(/config cannot be read: it is a folder, not a file$/)],
    })
  })
})

describe('a public network', () => {
  const mainnet = {
    ok: true,
    warnings: [],
    config: {
      network: 'remote',
      scanClient: { seedUrls: expect.arrayContaining([expect.stringMatching(/sv-1\.global\.canton/)]) },
    },
  }

  test.each([
    ['NETWORK', { NETWORK: 'mainnet' }, {}],
    ['--network', {}, { network: 'mainnet' }],
    ['NODE_CONFIG', { NODE_CONFIG: '{"network":"mainnet"}' }, {}],
    ['NETWORK in production', { NETWORK: 'mainnet', NODE_ENV: 'production' }, {}],
    ['NETWORK and NODE_CONFIG_ENV', { NETWORK: 'mainnet', NODE_CONFIG_ENV: 'mainnet' }, {}],
    ['--network in place of NODE_CONFIG_ENV', { NODE_CONFIG_ENV: 'devnet' }, { network: 'mainnet' }],
    ['--network in place of NETWORK', { NETWORK: 'devnet' }, { network: 'mainnet' }],
  ])('is chosen by %s', (_, env, flags) => {
    const folder = configFolder()
    const loaded = folder.load(env, flags)
    expect(loaded).toMatchObject(mainnet)
    expect(loaded.files).toContain(join(packageDir, 'config/mainnet.yaml'))
    expect(loaded.files).not.toContain(join(packageDir, 'config/devnet.yaml'))
  })

  test("is chosen by a user's own file, which still overrides the options of the network", () => {
    const folder = configFolder({
      'config/local.yaml':
        'network: mainnet\nscanClient: {threshold: 2f+1, seedUrls: [https://scan.example]}',
    })
    expect(folder.load()).toMatchObject({
      config: { network: 'remote', scanClient: { seedUrls: ['https://scan.example'], threshold: '2f+1' } },
    })
  })

  test('that contradicts NODE_CONFIG_ENV is a problem', () => {
    const folder = configFolder()
    expect(folder.load({ NETWORK: 'mainnet', NODE_CONFIG_ENV: 'devnet' })).toMatchObject({
      ok: false,
      problems: ['network is mainnet (in NETWORK), but NODE_CONFIG_ENV names devnet'],
    })
  })

  test.each([
    ['NETWORK', { NETWORK: 'mainnet' }],
    ['NODE_CONFIG', { NODE_CONFIG: '{"network":"mainnet"}' }],
  ])('in %s that contradicts a file is a problem', (place, env) => {
    const folder = configFolder({ 'config/local.yaml': 'network: testnet' })
    expect(folder.load(env)).toMatchObject({
      ok: false,
      problems: [`network is mainnet (in ${place}), but config/local.yaml names testnet`],
    })
  })

  test.each(['network: mainnet', 'network: remote', 'http: {port: 0}'])(
    'in NETWORK goes with a file that says %s',
    (text) => {
      const folder = configFolder({ 'config/local.yaml': text })
      expect(folder.load({ NETWORK: 'mainnet' })).toMatchObject({ ok: true, warnings: [] })
    },
  )

  test('in a later file replaces that of an earlier one', () => {
    const folder = configFolder({
      'config/default.yaml': 'network: testnet',
      'config/local.yaml': 'network: mainnet',
    })
    expect(folder.load()).toMatchObject(mainnet)
  })

  test('gives way to a localnet that --network wants, with all its seeds', () => {
    const folder = configFolder()
    expect(folder.load({ NODE_CONFIG_ENV: 'mainnet' }, { network: 'localnet' })).toMatchObject({
      ok: true,
      warnings: [],
      config: { network: 'localnet', scanClient: { seedUrls: [] } },
    })
  })
})

describe('a variable that nothing reads', () => {
  const problems = (env: Readonly<Record<string, string>>) => {
    const loaded = configFolder().load(env)
    return loaded.ok ? [] : loaded.problems
  }
  const warnings = (env: Readonly<Record<string, string>>, files = {}) =>
    configFolder(files).load(env).warnings

  test.each([
    ['SCAN_TRESHOLD', 'SCAN_THRESHOLD'],
    ['HTTP_PROT', 'HTTP_PORT'],
    ['CACHE_MAX_BYTE', 'CACHE_MAX_BYTES'],
    ['LEDGER_FIEL', 'LEDGER_FILE'],
    ['scan_threshold', 'SCAN_THRESHOLD'],
    ['SCANTHRESHOLD', 'SCAN_THRESHOLD'],
    ['NETWROK', 'NETWORK'],
    ['NODE_CONFIG_EVN', 'NODE_CONFIG_ENV'],
    ['SCAN_CLIENT_MAX_IN_FLIGHT', 'SCAN_MAX_IN_FLIGHT'],
  ])('%s is a problem that names %s', (name, nearest) => {
    expect(problems({ [name]: 'x' })).toEqual([
      `${name}: unknown variable; did you mean ${nearest}? (unset it if another program reads it)`,
    ])
  })

  test.each([
    ['SCAN_SEED_LIST', 'SCAN_SEED_URLS'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PORT', 'HTTP_PORT'],
  ])('%s is a warning that names %s, because another program may read it', (name, nearest) => {
    expect(warnings({ [name]: 'x' })).toEqual([`${name}: unknown variable; did you mean ${nearest}?`])
  })

  test.each(['AUTH_AUD', 'HTTP_ELEPHANTS'])(
    '%s is a warning without a suggestion, because none is similar',
    (name) => {
      expect(warnings({ [name]: '5' })).toEqual([`${name}: unknown variable`])
    },
  )

  test('that Kubernetes set for a service of the same name is ignored, with a warning that names it', () => {
    const ofServices = Object.fromEntries(
      ownVariables.filter((name) => name.endsWith('_PORT')).map((name) => [name, 'tcp://10.0.0.1:80']),
    )
    const folder = configFolder({
      'config/custom-environment-variables.yaml': 'http: { host: MY_PORT }',
    })
    const loaded = folder.load({ ...ofServices, MY_PORT: 'udp://10.0.0.1:53' })
    const names = [...Object.keys(ofServices), 'MY_PORT']
    expect(names.length).toBeGreaterThan(4)
    expect(loaded).toMatchObject({
      ok: true,
      config: { http: { port: 8080, host: '127.0.0.1' }, operations: { port: 9464 } },
      warnings: names.map((name) => expect.stringMatching(`^${name} is ignored: .* Kubernetes`)),
    })
    expect(problems({ HTTP_PORT: 'http://10.0.0.1:80' })).toEqual([
      expect.stringMatching(/^http\.port must be a whole number/),
    ])
  })

  test('is no warning where it is empty', () => {
    expect(problems({ SCAN_TRESHOLD: ' ' })).toEqual([])
  })

  test("is no warning where a user's own mapping reads it", () => {
    const mapping = 'http: {shutdownDelay: SCAN_DELAY, port: {__name: HTTP_PORTO, __format: number}}'
    const files = { 'config/custom-environment-variables.yaml': mapping }
    expect(warnings({ SCAN_DELAY: '1s', HTTP_PORTO: '1' }, files)).toEqual([])
  })
})

describe('NODE_CONFIG_DIR', () => {
  test('warns of a folder that does not exist, and names the nearest one', () => {
    const folder = configFolder({ 'settings/local.yaml': 'http: {port: 1}' })
    expect(folder.load({ NODE_CONFIG_DIR: 'setings' }).warnings).toEqual([
      'NODE_CONFIG_DIR: there is no folder setings; did you mean settings?',
    ])
    expect(folder.load({ NODE_CONFIG_DIR: 'elsewhere' }).warnings).toEqual([
      'NODE_CONFIG_DIR: there is no folder elsewhere',
    ])
  })
})
