Feature: A tree of delegations has one budget

    Agents ask agents, who ask agents. The whole tree shares one budget that no single call site can see;
    a refusal says where and why, and a tree never waits for itself.

    Scenario: An agent that delegates deeper and deeper is stopped
        Given a breaker with a depth of 3
        When  an agent delegates to itself with a new task each time
        Then  the fourth level is refused by the limit "depth"
        And   the refusal names the path "planner > planner > planner > planner"

    Scenario: Two agents that send the same task round are stopped at the first repeat
        Given a breaker with default limits
        When  "planner" asks "researcher", who asks "planner" to do the same
        Then  the second "planner" is refused by the limit "cycle"

    Scenario: Parents that wait do not block their children
        Given a breaker that lets one delegation run at a time
        When  a tree of 3 levels with 3 children each is run
        Then  all 40 delegations are done
        And   never more than one ran at once

    Scenario: An agent that keeps failing is left alone and tried again
        Given a breaker that opens after 2 failures for 30 seconds
        When  "search" fails twice
        Then  a delegation to "search" is refused by the limit "failures"
        When  30 seconds pass and "search" works again
        Then  delegations to "search" are admitted

    Scenario: A human is asked before it gets deep
        Given a breaker that asks from depth 2 on, and nobody answers
        When  "planner" asks "deployer" and 5 minutes pass
        Then  "deployer" is refused by the limit "approval"

    Scenario: The user leaves
        Given a tree of delegations that run
        When  the tree is cancelled
        Then  every delegation of it is told by its signal
        And   the caller gets "PLM_DELEGATION_CANCELLED" at once
