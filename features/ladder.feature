Feature: A ladder that acts, proves and lets go

    Scenario: Idle sessions are parked before anybody is refused
        Given a server with 20 idle sessions of 10 MiB each and one session in use
        And a policy that parks sessions to 50% and then refuses work
        When the process reaches 82% of its limit for 20 seconds
        Then sessions were parked until memory was below 75%
        And the session in use is still there
        And no work was refused

    Scenario: What was refused is let in again when the level falls
        Given a server with nothing to park
        And a policy that parks sessions to 50% and then refuses work
        When the process reaches 97% of its limit for 20 seconds
        Then work is refused
        When the process falls to 10% of its limit for 130 seconds
        Then work is let in

    Scenario: In shadow mode nothing is touched and everything is told
        Given a server with 20 idle sessions of 10 MiB each and one session in use
        And the same policy in shadow mode
        When the process reaches 97% of its limit for 20 seconds
        Then no session was parked
        And the report says that sessions would have been parked
