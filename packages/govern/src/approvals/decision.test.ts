import { describe, expect, test } from 'vitest';
import { DeskRig, ruleOf, codeOf } from './desk.fixture.ts';

describe('who may decide', () => {
  test('only those the rule names, by name, by group or as the owner', () => {
    using rig = new DeskRig(ruleOf({ by: ['owner', 'agent:captain', 'group:sre'] }));
    const { id } = rig.ask();
    const groups: string[] = [];
    expect(codeOf(() => rig.decide(id, { by: 'user:eve', groups }))).toBe('PLM_APPROVAL_NOT_ALLOWED');
    expect(codeOf(() => rig.decide(id, { by: 'owner', groups }))).toBe('PLM_APPROVAL_NOT_ALLOWED');
    expect(codeOf(() => rig.decide(id, { by: 'group:sre', groups: ['owner'] }))).not.toBe('none');
    expect(rig.decide(id, { by: 'Agent:Captain', groups }).row.state).toBe('approved');
    const own = rig.ask({ args: {} });
    expect(rig.decide(own.id, { by: 'user:root', groups, isOwner: true }).row.state).toBe('approved');
  });

  test('never who asked, nor whoever owns a scope around it', () => {
    using rig = new DeskRig();
    const scope = 'process/agent:planner/session:1';
    const { id } = rig.ask({ scope, level: undefined, requestedBy: 'agent:scout' });
    for (const by of ['agent:scout', 'AGENT:Scout', 'agent:planner'])
      expect(codeOf(() => rig.decide(id, { by }))).toBe('PLM_APPROVAL_SELF');
    for (const by of ['agent:scout'])
      expect(codeOf(() => rig.decide(id, { by, decision: 'deny' }))).toBe('PLM_APPROVAL_SELF');
    expect(rig.decide(id).row.state).toBe('approved');
    const long = rig.ask({ requestedBy: `${'process/x:'.repeat(90)}/agent:deep`, args: {} });
    expect(codeOf(() => rig.decide(long.id, { by: 'agent:deep' }))).toBe('PLM_APPROVAL_SELF');
  });

  test('a digest that was not seen, an id that is not there', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    expect(codeOf(() => rig.decide(id, { digest: 'f'.repeat(64) }))).toBe('PLM_APPROVAL_DIGEST');
    expect(codeOf(() => rig.decide('nope', { digest: 'f'.repeat(64) }))).toBe('PLM_APPROVAL_UNKNOWN');
    expect(rig.row(id)).toMatchObject({ state: 'open', votes: [] });
  });

  test('a key repeats its own decision and nothing else', () => {
    using rig = new DeskRig(ruleOf({ quorum: 2 }));
    const first = rig.ask();
    const other = rig.ask({ args: {} });
    expect(rig.decide(first.id, { key: 'k1' }).replayed).toBe(false);
    expect(rig.decide(first.id, { key: 'k1' })).toMatchObject({ replayed: true, row: { state: 'open' } });
    expect(codeOf(() => rig.decide(first.id, { key: 'k1', decision: 'deny' }))).toBe('PLM_APPROVAL_KEY');
    expect(codeOf(() => rig.decide(first.id, { key: 'k1', by: 'user:bob' }))).toBe('PLM_APPROVAL_KEY');
    expect(codeOf(() => rig.decide(other.id, { key: 'k1' }))).toBe('PLM_APPROVAL_KEY');
    rig.decide(first.id, { key: 'k2', by: 'user:bob' });
    rig.desk.tick();
    expect(rig.decide(first.id, { key: 'k2', by: 'user:bob' })).toMatchObject({
      replayed: true,
      row: { state: 'approved' },
    });
    expect(codeOf(() => rig.decide(first.id, { key: 'k3', by: 'user:bob' }))).toBe('PLM_APPROVAL_DECIDED');
    expect(rig.ran).toHaveLength(1);
  });
});
